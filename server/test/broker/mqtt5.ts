import { randomIds } from "../../src/lib/ids.ts";
import type { Device, TestBroker } from "./environment.ts";
import { packet } from "./packets.ts";
import { type RawClient, rawClient } from "./raw-client.ts";

type Parts = (string | number[])[];

/** Returns MQTT 5 properties as a part of a packet: their length, at most 127 bytes, and the properties. */
export function properties(...parts: Parts): number[] {
  const bytes = [...packet(0, ...parts).subarray(2)];
  return [bytes.length, ...bytes];
}

export const NONE: number[] = [0];
/** CONNECT properties that disable reason strings (request problem information 0). */
const NO_REASONS = [2, 0x17, 0];

export interface Connect5 {
  flags?: number;
  keepAlive?: number;
  properties?: number[];
  /** The fields after the client id. */
  rest?: Parts;
}

export function connect5(clientId: string, options: Connect5 = {}): Buffer {
  const { flags = 2, keepAlive = 60, properties: given = NO_REASONS, rest = [] } = options;
  return packet(0x10, "MQTT", [5, flags, keepAlive >> 8, keepAlive & 255], given, clientId, ...rest);
}

export function publish5(topic: string, payload: string, qos = 0, id = 1, given = NONE): Buffer {
  const packetId = qos === 0 ? [] : [id >> 8, id & 255];
  return packet(0x30 | (qos << 1), topic, packetId, given, [...Buffer.from(payload)]);
}

/** Returns a SUBSCRIBE to one filter. */
export function subscribe5(id: number, filter: string, options: number, given = NONE): Buffer {
  return packet(0x82, [id >> 8, id & 255], given, filter, [options]);
}

/** The bytes received after the CONNACK. */
export interface Session5 extends RawClient {
  /** Resolves with the bytes once there are at least `bytes`. */
  answers(bytes: number): Promise<Buffer>;
  /** Resolves with `bytes` bytes from `start` on. */
  after(start: number, bytes: number): Promise<Buffer>;
  /** Resolves with all bytes when the connection has closed. */
  rest(): Promise<number[]>;
}

export type Client5 = Session5 & { clientId: string };

/** A raw client whose MQTT 5 CONNECT has been accepted. */
export async function session5(broker: TestBroker, device: Device, options: Connect5 = {}): Promise<Session5> {
  const client = await rawClient(broker, device);
  return await opened(client, connect5(device.deviceId, options));
}

/**
 * Connects a new MQTT client in the same way. It may publish and subscribe to `paths` below the prefix of its tenant.
 */
export async function client5(broker: TestBroker, paths: string[], options: Connect5 = {}): Promise<Client5> {
  const clientId = `client-${randomIds.bytes(4).toString("hex")}`;
  const filters = paths.map((path) => `t/${broker.caller.tenantSlug}/${path}`);
  const publish = filters.filter((filter) => !/[+#]/.test(filter));
  const wanted = { clientId, username: clientId, publish, subscribe: filters };
  const { password } = await broker.connections.createMqttClient(broker.caller, wanted);
  const { flags = 2, rest = [] } = options;
  const connect = connect5(clientId, { ...options, flags: flags | 0xc0, rest: [...rest, clientId, password] });
  return { ...(await opened(await rawClient(broker), connect)), clientId };
}

async function opened(client: RawClient, connect: Buffer): Promise<Session5> {
  client.send(connect);
  const head = await client.atLeast(4);
  if (head[3] !== 0) throw new Error(`refused: ${head[3]}`);
  const connack = 2 + head[1]!;
  await client.atLeast(connack);
  return {
    ...client,
    answers: async (bytes) => (await client.atLeast(connack + bytes)).subarray(connack),
    after: async (start, bytes) =>
      (await client.atLeast(connack + start + bytes)).subarray(connack + start, connack + start + bytes),
    rest: async () => {
      await client.ended;
      return [...client.received().subarray(connack)];
    },
  };
}
