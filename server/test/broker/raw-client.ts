import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from "node:tls";
import type { Device, World } from "./world.ts";

/** An MQTT client that says whatever bytes a test wants. */
export interface RawClient {
  readonly socket: TLSSocket;
  send(...packets: (Buffer | number[])[]): void;
  /** Everything received so far. */
  received(): Buffer;
  /** Resolves with what has been received once it is at least `bytes` long; rejects when the peer hangs up first. */
  atLeast(bytes: number): Promise<Buffer>;
  /** Resolves when the connection has ended, however. */
  readonly ended: Promise<void>;
}

export async function rawClient(
  world: Pick<World, "port">,
  device?: Pick<Device, "fullchain" | "key">,
  options: ConnectionOptions = {},
): Promise<RawClient> {
  const socket = tlsConnect({
    host: "127.0.0.1",
    port: world.port,
    rejectUnauthorized: false,
    ...(device ? { cert: device.fullchain, key: device.key } : {}),
    ...options,
  });
  let bytes = Buffer.alloc(0);
  const waiting = new Set<() => void>();
  let over = false;
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (const look of waiting) look();
  });
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.once("close", () => {
    over = true;
    for (const look of waiting) look();
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
        const look = () => {
          if (bytes.length < length && !over) return;
          waiting.delete(look);
          if (bytes.length >= length) resolve(bytes);
          else reject(new Error(`hung up after ${bytes.toString("hex") || "nothing"}`));
        };
        waiting.add(look);
        look();
      }),
    ended,
  };
}

/** A raw client whose CONNECT has been accepted. */
export async function rawSession(world: World, device: Device): Promise<RawClient> {
  const client = await rawClient(world, device);
  client.send(connectPacket({ clientId: device.deviceId }));
  const answer = await client.atLeast(4);
  if (answer[3] !== 0) throw new Error(`refused: ${answer[3]}`);
  return client;
}

/** A packet of the first byte `first` with `body`. */
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

/** A field with its length in front. */
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
  /** What stands after the client id. */
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

/** A PUBLISH; `id` is left out at QoS 0. */
export function publishPacket(topic: string | Buffer, payload: string | Buffer, qos = 0, id = 1, flags = 0): Buffer {
  const packetId = qos === 0 ? [] : [id >> 8, id & 255];
  return packet(0x30 | (qos << 1) | flags, field(topic as string), packetId, Buffer.from(payload as string));
}

export function subscribePacket(id: number, ...filters: string[]): Buffer {
  return packet(0x82, [id >> 8, id & 255], ...filters.flatMap((filter) => [field(filter), [1]]));
}

export const PINGREQ: Buffer = Buffer.of(0xc0, 0);
export const DISCONNECT: Buffer = Buffer.of(0xe0, 0);
