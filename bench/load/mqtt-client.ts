import { connect, type TLSSocket } from "node:tls";
import { generate } from "mqtt-packet";
import { within } from "../measure.ts";

/** What a device connects with. */
export interface Identity {
  readonly deviceId: string;
  readonly key: string;
  readonly fullchain: string;
  readonly topic: string;
}

export interface MqttTarget {
  readonly port: number;
  /** What the broker's certificate is verified by. */
  readonly ca: string;
  /** A loopback address of its own, where the server counts by address. */
  readonly localAddress?: string;
}

const DISCONNECT = Buffer.of(0xe0, 0);
const CONNACK_ACCEPTED = Buffer.of(0x20, 2, 0, 0);

/** Opens an MQTT 3.1.1 session over mutual TLS; rejects when the broker refuses it. The caller reads what follows the CONNACK. */
export async function openMqtt(target: MqttTarget, identity: Identity): Promise<TLSSocket> {
  const socket = connect({
    host: "127.0.0.1",
    port: target.port,
    ca: target.ca,
    servername: "localhost",
    cert: identity.fullchain,
    key: identity.key,
    ...(target.localAddress === undefined ? {} : { localAddress: target.localAddress }),
  });
  socket.on("secureConnect", () => {
    socket.setNoDelay(true);
    socket.write(
      generate({
        cmd: "connect",
        clientId: identity.deviceId,
        protocolId: "MQTT",
        protocolVersion: 4,
        clean: true,
        keepalive: 120,
      }),
    );
  });
  const accepted = new Promise<TLSSocket>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`${identity.deviceId}: closed before CONNACK`)));
    socket.once("data", (chunk: Buffer) => {
      socket.removeAllListeners("close");
      socket.removeAllListeners("error");
      socket.on("error", () => undefined);
      if (chunk.equals(CONNACK_ACCEPTED)) resolve(socket);
      else reject(new Error(`${identity.deviceId}: refused with ${chunk.toString("hex")}`));
    });
  });
  return await within(30, () => `${identity.deviceId}: CONNACK`, accepted);
}

/** Sends DISCONNECT and waits for the end of the connection. */
export function closeMqtt(socket: TLSSocket): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.end(DISCONNECT);
  });
  return within(30, () => "the end of a session after DISCONNECT", closed);
}

/** Opens a session for each identity, `parallel` at a time. */
export async function openAll(
  target: MqttTarget,
  identities: readonly Identity[],
  parallel = 24,
): Promise<TLSSocket[]> {
  const sockets: TLSSocket[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < identities.length) {
      const index = next++;
      sockets[index] = await openMqtt(target, identities[index]!);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return sockets;
}
