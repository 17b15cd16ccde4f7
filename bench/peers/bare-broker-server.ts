/**
 * The least that a broker in Node does: mutual TLS, and an acknowledgement for each CONNECT and each PUBLISH at QoS 1,
 * in one write for packets that arrived together. No policy, no store, no session. TLS is set as ours is. Prints its
 * port.
 */
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { mutualTls } from "../../server/src/lib/sockets/mutual-tls.ts";

const { BARE_CERT, BARE_KEY, BARE_ROOT } = process.env as Record<string, string>;
const CONNECT = 1;
const PUBLISH = 3;
const CONNACK = Buffer.of(0x20, 2, 0, 0);

const server = createServer(
  {
    ...mutualTls({ cert: BARE_CERT!, key: BARE_KEY! }, { deviceRoots: BARE_ROOT! }),
    requestCert: true,
    rejectUnauthorized: true,
  },
  (socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    let rest: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      rest = acknowledge(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
    });
  },
);

/** Answers the whole packets in `bytes` and returns the rest. */
function acknowledge(socket: TLSSocket, bytes: Buffer): Buffer {
  const answers: Buffer[] = [];
  let at = 0;
  for (let frame = frameAt(bytes, at); frame !== undefined; frame = frameAt(bytes, at)) {
    const type = bytes[at]! >> 4;
    if (type === CONNECT) answers.push(CONNACK);
    if (type === PUBLISH) answers.push(pubackOf(bytes, frame.body));
    at = frame.end;
  }
  if (answers.length > 0) socket.write(answers.length === 1 ? answers[0]! : Buffer.concat(answers));
  return bytes.subarray(at);
}

/** Returns the offsets of the body and the end of the packet at `at`; undefined until it is whole. */
function frameAt(bytes: Buffer, at: number): { body: number; end: number } | undefined {
  let length = 0;
  for (let place = 1; at + place < bytes.length; place++) {
    const byte = bytes[at + place]!;
    length += (byte & 0x7f) << (7 * (place - 1));
    if (byte & 0x80) continue;
    const end = at + place + 1 + length;
    return end <= bytes.length ? { body: at + place + 1, end } : undefined;
  }
  return undefined;
}

function pubackOf(bytes: Buffer, body: number): Buffer {
  const id = body + 2 + bytes.readUInt16BE(body);
  return Buffer.of(0x40, 2, bytes[id]!, bytes[id + 1]!);
}

server.listen(0, "127.0.0.1", () => console.log(`listening ${(server.address() as AddressInfo).port}`));
process.once("SIGTERM", () => process.exit(0));
