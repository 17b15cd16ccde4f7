import mqtt from "mqtt";
import { randomIds } from "../../../src/lib/ids.ts";
import { eventually } from "../../harness/eventually.ts";

/** A message as a client received it. */
export interface Arrived {
  topic: string;
  payload: string;
  qos: number;
  retain: boolean;
  properties: mqtt.IPublishPacket["properties"];
}

/** A client of the permissive broker, and its received messages. */
export interface TestClient {
  readonly client: mqtt.MqttClient;
  readonly connack: mqtt.IConnackPacket;
  /** The received messages in order. */
  readonly messages: Arrived[];
  /** Resolves with the messages once there are this many, and no more of those published before have arrived. */
  arrived(count: number): Promise<Arrived[]>;
  /** Breaks the connection without a DISCONNECT. */
  break(): void;
}

/** Connects a client. Rejects if the broker refuses it. */
export async function connectTo(port: number, options: mqtt.IClientOptions = {}): Promise<TestClient> {
  const client = mqtt.connect({
    protocol: "mqtt",
    host: "127.0.0.1",
    port,
    protocolVersion: 5,
    reconnectPeriod: 0,
    clientId: `test-${randomIds.bytes(6).toString("hex")}`,
    ...options,
  });
  const messages: Arrived[] = [];
  client.on("message", (topic, payload, { qos, retain, properties }) => {
    messages.push({ topic, payload: `${payload}`, qos, retain, properties });
  });
  client.on("error", () => undefined);
  const connack = await new Promise<mqtt.IConnackPacket>((resolve, reject) => {
    client.once("connect", resolve);
    client.once("error", reject);
    client.once("close", () => reject(new Error("the connection closed")));
  });
  return {
    client,
    connack,
    messages,
    arrived: async (count) => {
      if (!(await eventually(async () => messages.length >= count))) throw new Error(`${messages.length} arrived`);
      await ping(client);
      return messages;
    },
    break: () => void client.stream.destroy(),
  };
}

/** Everything that the broker sent before its answer has arrived when this resolves. */
function ping(client: mqtt.MqttClient): Promise<void> {
  return new Promise((resolve) => {
    const onPacket = ({ cmd }: mqtt.Packet) => {
      if (cmd !== "pingresp") return;
      client.off("packetreceive", onPacket);
      resolve();
    };
    client.on("packetreceive", onPacket);
    client.sendPing();
  });
}
