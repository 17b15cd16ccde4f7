import mqtt, { type MqttClient } from "mqtt";
import { sleep } from "../../measure.ts";
import type { Identity, MqttTarget } from "../mqtt-client.ts";

const RETRY_MS = 50;
const CONNECT_MS = 10_000;

/** Connects once, without reconnecting. @returns undefined where the broker refuses, or ends the connection before */
export function connectOnce(
  target: MqttTarget,
  options: mqtt.IClientOptions,
  prepare: (client: MqttClient) => void = () => undefined,
): Promise<MqttClient | undefined> {
  const client = mqtt.connect({
    protocol: "mqtts",
    host: "localhost",
    port: target.port,
    ca: target.ca,
    reconnectPeriod: 0,
    connectTimeout: CONNECT_MS,
    ...options,
  });
  client.on("error", () => undefined);
  prepare(client);
  return new Promise((resolve) => {
    client.once("connect", () => resolve(client));
    client.once("close", () => resolve(undefined));
  });
}

/** Connects, again and again until it is accepted. */
export async function connectAgain(...args: Parameters<typeof connectOnce>): Promise<MqttClient> {
  for (;;) {
    const client = await connectOnce(...args);
    if (client) return client;
    await sleep(RETRY_MS);
  }
}

/** What a device connects with. */
export function deviceOptions({ deviceId, fullchain, key }: Identity): mqtt.IClientOptions {
  return { clientId: deviceId, cert: fullchain, key };
}

/** Whether a connection is open: its PINGREQ is answered. */
export function answers(client: MqttClient): Promise<boolean> {
  if (!client.connected) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (isAnswered: boolean) => {
      client.off("packetreceive", onPacket);
      client.off("close", onClose);
      resolve(isAnswered);
    };
    const onPacket = ({ cmd }: mqtt.Packet) => cmd === "pingresp" && settle(true);
    const onClose = () => settle(false);
    client.on("packetreceive", onPacket);
    client.once("close", onClose);
    client.sendPing();
  });
}
