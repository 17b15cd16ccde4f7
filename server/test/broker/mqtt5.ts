import type { Device, TestBroker } from "./environment.ts";
import { packet } from "./packets.ts";
import { type RawClient, rawClient } from "./raw-client.ts";

type Parts = (string | number[])[];

/** Properties of MQTT 5 as a part of a packet: their length, and they. At most 127 bytes. */
export function properties(...parts: Parts): number[] {
  const bytes = [...packet(0, ...parts).subarray(2)];
  return [bytes.length, ...bytes];
}

export const NONE: number[] = [0];

export interface Connect5 {
  flags?: number;
  keepAlive?: number;
  properties?: number[];
  /** Behind the client id. */
  rest?: Parts;
}

export function connect5(clientId: string, options: Connect5 = {}): Buffer {
  const { flags = 2, keepAlive = 60, properties: given = NONE, rest = [] } = options;
  return packet(0x10, "MQTT", [5, flags, keepAlive >> 8, keepAlive & 255], given, clientId, ...rest);
}

export function publish5(topic: string, payload: string, qos = 0, id = 1, given = NONE): Buffer {
  const packetId = qos === 0 ? [] : [id >> 8, id & 255];
  return packet(0x30 | (qos << 1), topic, packetId, given, [...Buffer.from(payload)]);
}

/** What has been received behind the CONNACK. */
export interface Session5 extends RawClient {
  /** Resolves with it once it is at least `bytes` long. */
  answers(bytes: number): Promise<Buffer>;
  /** Resolves with all of it when the connection has closed. */
  rest(): Promise<number[]>;
}

/** A raw client whose CONNECT of MQTT 5 has been accepted. */
export async function session5(broker: TestBroker, device: Device, options: Connect5 = {}): Promise<Session5> {
  const client = await rawClient(broker, device);
  client.send(connect5(device.deviceId, options));
  const head = await client.atLeast(4);
  if (head[3] !== 0) throw new Error(`refused: ${head[3]}`);
  const connack = 2 + head[1]!;
  await client.atLeast(connack);
  return {
    ...client,
    answers: async (bytes) => (await client.atLeast(connack + bytes)).subarray(connack),
    rest: async () => {
      await client.ended;
      return [...client.received().subarray(connack)];
    },
  };
}
