import { packet } from "../packets.ts";
import { TcpClient } from "../permissive/tcp-client.ts";
import { type Action, connackOf, type Vector, type Version } from "./vector.ts";

const PINGREQ = Buffer.of(0xc0, 0);
const PINGRESP = Buffer.of(0xd0, 0);

/**
 * Runs a vector against the broker at `port`.
 * @returns how the broker differs from the vector; undefined if it does not
 */
export async function runVector(port: number, vector: Vector, clientId: string): Promise<string | undefined> {
  const client = new TcpClient(port);
  try {
    const before: Action[] = [{ send: connectOf(vector.version, clientId) }, { receive: connackOf(vector.version) }];
    const actions = [...(vector.isConnected ? before : []), ...vector.actions];
    return await exchange(port, client, { ...vector, actions }, clientId);
  } finally {
    client.close();
  }
}

async function exchange(
  port: number,
  client: TcpClient,
  vector: Vector,
  clientId: string,
): Promise<string | undefined> {
  for (const action of vector.actions) {
    if ("send" in action) client.send(action.send);
    else if ("publish" in action) await publishFrom(port, `${clientId}-helper`, action.publish);
    else {
      const answer = await client.take(action.receive.length);
      if (!answer.equals(action.receive)) return differs(vector, action.receive, answer);
    }
  }
  if (vector.stays) client.send(PINGREQ);
  const last = await client.take(vector.stays ? 2 : 1);
  const expected = vector.stays ? PINGRESP : Buffer.alloc(0);
  return last.equals(expected) ? undefined : differs(vector, expected, last);
}

function differs({ name, version }: Vector, expected: Buffer, received: Buffer): string {
  const hex = (bytes: Buffer) => (bytes.length === 0 ? "the end" : bytes.toString("hex"));
  return `MQTT version ${version}, ${name}: ${hex(expected)} expected, ${hex(received)} received`;
}

function connectOf(version: Version, clientId: string): Buffer {
  const name = version === 3 ? "MQIsdp" : "MQTT";
  return packet(0x10, name, [version, 2, 0, 60], version === 5 ? [0] : [], clientId);
}

async function publishFrom(
  port: number,
  clientId: string,
  { topic, payload, qos }: { topic: string; payload: string; qos: 0 | 1 | 2 },
): Promise<void> {
  const client = new TcpClient(port);
  const id = [0, 1];
  client.send(connectOf(4, clientId));
  await client.take(4);
  client.send(packet(0x30 | (qos << 1), topic, qos > 0 ? id : [], [...Buffer.from(payload)]));
  if (qos > 0) await client.take(4);
  if (qos === 2) {
    client.send(packet(0x62, id));
    await client.take(4);
  }
  client.close();
}
