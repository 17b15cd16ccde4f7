import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from "node:tls";
import type { Device, TestBroker } from "./environment.ts";

/** An MQTT client that sends arbitrary bytes. */
export interface RawClient {
  readonly socket: TLSSocket;
  send(...packets: (Buffer | number[])[]): void;
  /** All bytes received so far. */
  received(): Buffer;
  /** Resolves with the received bytes once there are at least `bytes`; rejects if the broker closes first. */
  atLeast(bytes: number): Promise<Buffer>;
  /** Resolves when the connection has closed. */
  readonly ended: Promise<void>;
}

export async function rawClient(
  broker: Pick<TestBroker, "port">,
  device?: Pick<Device, "fullchain" | "key">,
  options: ConnectionOptions = {},
): Promise<RawClient> {
  const socket = tlsConnect({
    host: "127.0.0.1",
    port: broker.port,
    rejectUnauthorized: false,
    ...(device ? { cert: device.fullchain, key: device.key } : {}),
    ...options,
  });
  let bytes = Buffer.alloc(0);
  const waiting = new Set<() => void>();
  let isClosed = false;
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (const check of waiting) check();
  });
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.once("close", () => {
    isClosed = true;
    for (const check of waiting) check();
  });
  await new Promise<void>((resolve) => {
    socket.once("secureConnect", resolve);
    socket.once("close", () => resolve());
  });
  return {
    socket,
    send: (...packets) => void socket.write(Buffer.concat(packets.map((packet) => Buffer.from(packet)))),
    received: () => bytes,
    atLeast: (length) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (bytes.length < length && !isClosed) return;
          waiting.delete(check);
          if (bytes.length >= length) resolve(bytes);
          else reject(new Error(`closed after ${bytes.toString("hex") || "nothing"}`));
        };
        waiting.add(check);
        check();
      }),
    ended,
  };
}

/** A raw client whose CONNECT has been accepted. */
export async function rawSession(broker: TestBroker, device: Device): Promise<RawClient> {
  const client = await rawClient(broker, device);
  client.send(connectPacket({ clientId: device.deviceId }));
  const answer = await client.atLeast(4);
  if (answer[3] !== 0) throw new Error(`refused: ${answer[3]}`);
  return client;
}

/** Returns a packet with the first byte `first` and `body`. */
export function packet(first: number, ...body: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(body.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.of(first), remainingLength(content.length), content]);
}

export function remainingLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  do {
    bytes.push((rest & 127) | (rest > 127 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** Returns a field that begins with its length. */
export function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 255), bytes]);
}

export interface ConnectParts {
  clientId: string | Buffer;
  name?: string;
  level?: number;
  flags?: number;
  keepAlive?: number;
  /** The fields after the client id. */
  rest?: Buffer;
}

export function connectPacket(parts: ConnectParts): Buffer {
  const keepAlive = parts.keepAlive ?? 60;
  return packet(
    0x10,
    field(parts.name ?? "MQTT"),
    [parts.level ?? 4, parts.flags ?? 2, keepAlive >> 8, keepAlive & 255],
    field(parts.clientId as string),
    parts.rest ?? Buffer.alloc(0),
  );
}

/** Returns a PUBLISH. `id` is omitted at QoS 0. */
export function publishPacket(topic: string | Buffer, payload: string | Buffer, qos = 0, id = 1, flags = 0): Buffer {
  const packetId = qos === 0 ? [] : [id >> 8, id & 255];
  return packet(0x30 | (qos << 1) | flags, field(topic as string), packetId, Buffer.from(payload as string));
}

export function subscribePacket(id: number, ...filters: string[]): Buffer {
  return packet(0x82, [id >> 8, id & 255], ...filters.flatMap((filter) => [field(filter), [1]]));
}

export const PINGREQ: Buffer = Buffer.of(0xc0, 0);
export const DISCONNECT: Buffer = Buffer.of(0xe0, 0);
