import { packet } from "../packets.ts";
import { BAD_TEXTS, text } from "./packet-vectors.ts";
import { closes, ends, refuses, stays, type Vector, type Version } from "./vector.ts";

const ID = [0x04, 0xd2];

/** Returns vectors of SUBSCRIBE and UNSUBSCRIBE. */
export function subscriptionVectors(version: Version): Vector[] {
  const none = version === 5 ? [0] : [];
  const subscribe = (...filters: (string | number[])[]) => packet(0x82, ID, none, ...filters);
  const unsubscribe = (...filters: (string | number[])[]) => packet(0xa2, ID, none, ...filters);
  const suback = (...codes: number[]) => packet(0x90, ID, none, codes);
  const unsuback = (...codes: number[]) => packet(0xb0, ID, none, version === 5 ? codes : []);
  const malformed = (name: string, bytes: Buffer) => ends(version, name, bytes, 0x81);
  const both: [name: string, build: (...filters: (string | number[])[]) => Buffer, end: number[]][] = [
    ["SUBSCRIBE", subscribe, [0]],
    ["UNSUBSCRIBE", unsubscribe, []],
  ];
  return [
    ...[0, 1, 2].map((qos) => stays(version, `SUBSCRIBE at QoS ${qos}`, subscribe("v/a", [qos]), suback(qos))),
    stays(version, "SUBSCRIBE to two", subscribe("v/a", [0], "v/b", [0]), suback(0, 0)),
    stays(version, "UNSUBSCRIBE from none", unsubscribe("v/a"), unsuback(0x11)),
    stays(version, "UNSUBSCRIBE from two", unsubscribe("v/a", "v/b"), unsuback(0x11, 0x11)),
    unsubscribed(version, subscribe("v/a", [0]), suback(0), unsubscribe("v/a"), unsuback(0)),
    ...both.flatMap(([name, build, end]) => [
      malformed(`${name} without a filter`, build()),
      malformed(`${name} without a body`, packet(name === "SUBSCRIBE" ? 0x82 : 0xa2)),
      malformed(`${name} of one byte`, packet(name === "SUBSCRIBE" ? 0x82 : 0xa2, [1])),
      malformed(`${name} with half a length`, build([0])),
      malformed(`${name} with a length only`, build([0, 1])),
      malformed(`${name} of an empty filter`, build("", end)),
      malformed(`${name} of an empty filter first`, build("", end, "q", end)),
      malformed(`${name} of an empty filter last`, build("q", end, "", end)),
      malformed(`${name} with packet id 0`, packet(name === "SUBSCRIBE" ? 0x82 : 0xa2, [0, 0], none, "p", end)),
      ...Object.entries(BAD_TEXTS).map(([bad, bytes]) => malformed(`${name} of ${bad}`, build(text(bytes), end))),
    ]),
    malformed("SUBSCRIBE without a QoS", subscribe("p")),
    malformed("SUBSCRIBE with a byte behind it", subscribe("p", [0, 0])),
    malformed("SUBSCRIBE at QoS 3", subscribe("p", [3])),
    ...(version === 5 ? options5(subscribe, suback) : oldOptions(version, subscribe)),
  ];
}

function unsubscribed(version: Version, ...exchange: [Buffer, Buffer, Buffer, Buffer]): Vector {
  const actions = exchange.map((bytes, index) => (index % 2 === 0 ? { send: bytes } : { receive: bytes }));
  return { name: "UNSUBSCRIBE from a filter", version, isConnected: true, actions, stays: true };
}

type Subscribe = (...filters: (string | number[])[]) => Buffer;

function oldOptions(version: Version, subscribe: Subscribe): Vector[] {
  return [0x04, 0x08, 0x10, 0x20, 0x40, 0x80].map((bit) =>
    closes(version, `SUBSCRIBE with the reserved bit ${bit}`, subscribe("p", [bit])),
  );
}

function options5(subscribe: Subscribe, suback: (...codes: number[]) => Buffer): Vector[] {
  return [
    ...[0x04, 0x08, 0x10, 0x20].map((options) =>
      stays(5, `SUBSCRIBE with the options ${options}`, subscribe("v/options", [options]), suback(0)),
    ),
    ...[0x30, 0x40, 0x80, 0xf0].map((options) =>
      ends(5, `SUBSCRIBE with the options ${options}`, subscribe("p", [options]), 0x81),
    ),
    ...["$share/+/p", "$share/p/", "$share/p", "$share//p"].map((filter) =>
      ends(5, `SUBSCRIBE to ${filter}`, subscribe(filter, [0]), 0x82),
    ),
    ends(5, "SUBSCRIBE to a share named #", subscribe("$share/#/p", [0]), 0x81),
    ends(5, "no local on a shared subscription", subscribe("$share/p/p", [4]), 0x82),
    ...identifiers(),
  ];
}

/** Subscription identifiers, as variable byte integers. */
function identifiers(): Vector[] {
  const subscribe = (id: number[]) => packet(0x82, ID, [id.length + 1, 0x0b, ...id], "v/ids", [0]);
  const good = [[1], [0x7f], [0x80, 1], [0xff, 0x7f], [0x80, 0x80, 1], [0xff, 0xff, 0xff, 0x7f]];
  const bad = [[0], [0x80, 0], [0x80, 0x80, 0x80, 0x80, 1]];
  return [
    ...good.map((id) => stays(5, `the subscription identifier ${id}`, subscribe(id), [0x90, 4, ...ID, 0, 0])),
    ...bad.map((id) => ends(5, `the subscription identifier ${id}`, subscribe(id), 0x81)),
  ];
}

/** Reason codes that only a server may send, and one that no packet has. */
const REASONS = [0x00, 0x01, 0x04, 0x05, ...Array.from({ length: 0xa3 - 0x80 }, (_, at) => 0x80 + at), 0xff];

/** A client that leaves receives no answer, unless its packet cannot be read. */
export function disconnectVectors(version: Version): Vector[] {
  const disconnect = (...body: number[]) => packet(0xe0, body);
  const shared = [
    closes(version, "DISCONNECT", disconnect()),
    closes(version, "DISCONNECT with a byte", disconnect(0)),
  ];
  if (version < 5) return shared;
  const late = packet(0x10, "MQTT", [5, 2, 0, 10], [5, 0x11, 0, 0, 0, 0], "vectors-late");
  const refused = refuses(5, "a session expiry that the CONNECT did not have", late, 0);
  return [
    ...shared,
    ...REASONS.map((reason) => closes(5, `DISCONNECT with the reason ${reason}`, disconnect(reason))),
    closes(5, "DISCONNECT with no properties", disconnect(0x82, 0)),
    closes(5, "DISCONNECT with a session expiry of 0", disconnect(0, 5, 0x11, 0, 0, 0, 0)),
    ...[
      [1, 0],
      [1, 0x11],
      [2, 0x11, 0],
      [3, 0x11, 0, 0],
      [4, 0x11, 0, 0, 0],
    ].map((properties) => ends(5, `DISCONNECT with the properties ${properties}`, disconnect(0, ...properties), 0x81)),
    {
      ...refused,
      actions: [
        { send: late },
        { receive: Buffer.of(0x20, 14, 0, 0, 11, 0x22, 0, 10, 0x27, 0, 0x1e, 0x84, 0x80, 0x21, 0, 20) },
        { send: disconnect(0, 5, 0x11, 0, 0, 0, 1) },
        { receive: Buffer.of(0xe0, 1, 0x82) },
      ],
    },
  ];
}
