import { generate } from "mqtt-packet";
import { messageIdOf, packetBytes, publish, publishPacket, QUIET } from "../../load/publish-packet.ts";
import { sessionAttack } from "../hostile/sessions.ts";

/** A packet may have 256 KiB with its topic; a session may send two of them a second. */
const LARGEST = Buffer.alloc(250 * 1024, "x");
/** The messages that the broker reads of a session in a second. */
const MESSAGES_PER_SECOND = 100;
/** The metrics that have a latest value, of one device. */
const METRICS_A_DEVICE = 500;
const NAMES_A_MESSAGE = 200;
const SUBSCRIBERS = 16;
/** The rate of messages of a thousand readings that fits into 512 kB a second. */
const READINGS_PER_SECOND = 13;
/** The first device exceeds the limit of readings in a message. */
const [READINGS, TOO_MANY_READINGS] = [1_000, 3_300];
const [PACKS, RULES_A_PACK] = [5, 10];
/** Readings are a millisecond apart and newer than any before them: older ones are not evaluated. */
const BEHIND_MS = 9 * 60_000;

/** Each assault runs in a process of its own, which counts on when a session is opened again. */
let sent = 0;
const newest: number[] = [];

/** Attacks by devices with certificates, each within its session's limits. */
export const readings = sessionAttack({
  name: "readings",
  what: `4 devices send ${READINGS} readings a message that alternate across ${PACKS * RULES_A_PACK} rules`,
  async devices(tenant) {
    const rule = (n: number) => ({ metric: "m", operator: "gt", value: 10 + n, severity: "warning" });
    const pack = (nth: number) => Array.from({ length: RULES_A_PACK }, (_, n) => rule(nth * RULES_A_PACK + n));
    await tenant.assignRules(Array.from({ length: PACKS }, (_, nth) => pack(nth)));
    return await tenant.newDevices(4, "Alternating");
  },
  sending: ({ topic }, index) => {
    const length = index === 0 ? TOO_MANY_READINGS : READINGS;
    const packet = (count: number) => {
      const from = (newest[index] ?? Date.now() - BEHIND_MS) + length;
      newest[index] = from;
      const points = Array.from({ length }, (_, n) => `{"ts":${from + n},"values":{"m":${n % 2 === 0 ? 0 : 100}}}`);
      return publish(topic, `[${points.join(",")}]`, count);
    };
    return { perSecond: index === 0 ? READINGS_PER_SECOND / 3 : READINGS_PER_SECOND, packet };
  },
});

export const greedy = sessionAttack({
  name: "greedy",
  what: `40 devices of one tenant send ${MESSAGES_PER_SECOND} messages a second each, as they may`,
  devices: (tenant) => tenant.newDevices(40, "Busy"),
  sending: ({ topic }) => {
    const prepared = publishPacket(topic, QUIET);
    return { perSecond: MESSAGES_PER_SECOND, packet: (count) => packetBytes(prepared, count) };
  },
});

export const qos2 = sessionAttack({
  name: "qos2",
  what: "100 sessions publish 250 KiB at QoS 2 and never release",
  devices: (tenant) => tenant.newDevices(100, "Unreleased"),
  sending: ({ topic }) => ({ perSecond: 2, packet: (count) => publish(topic, LARGEST, count, 2) }),
});

export const metrics = sessionAttack({
  name: "metrics",
  what: `a device sends ${NAMES_A_MESSAGE * MESSAGES_PER_SECOND} metric names a second`,
  devices: (tenant) => tenant.newDevices(1, "Inventive"),
  sending: ({ topic }) => ({
    perSecond: MESSAGES_PER_SECOND,
    packet: (count) => {
      const names = Array.from({ length: NAMES_A_MESSAGE }, () => `"m${sent++}":1`);
      return publish(topic, `{${names.join(",")}}`, count);
    },
  }),
  async check({ service }, { identities }) {
    const { items } = await service.shell("device.latest", { tenant: "metrics", id: identities[0]!.deviceId });
    if (items.length <= METRICS_A_DEVICE) return [];
    return [`the device has latest values of ${items.length} metrics, at most ${METRICS_A_DEVICE}`];
  },
});

export const refusals = sessionAttack({
  name: "refusals",
  what: `${SUBSCRIBERS} sessions subscribe to ${SUBSCRIBERS * MESSAGES_PER_SECOND} foreign topics a second`,
  devices: (tenant) => tenant.newDevices(SUBSCRIBERS, "Curious"),
  // A refused publish closes the session, a refused subscription does not.
  sending: () => ({
    perSecond: MESSAGES_PER_SECOND,
    packet: (count) => {
      const subscriptions = [{ topic: `t/honest/telemetry/${sent++}`, qos: 1 as const }];
      return generate({ cmd: "subscribe", messageId: messageIdOf(count), subscriptions });
    },
  }),
});
