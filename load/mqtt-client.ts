import { connect, type TLSSocket } from "node:tls";
import { generate } from "mqtt-packet";
import { within } from "./measure.ts";

/** The credentials and the topic of a device. */
export interface Identity {
  readonly deviceId: string;
  readonly key: string;
  readonly fullchain: string;
  readonly topic: string;
}

export interface MqttTarget {
  readonly port: number;
  /** The PEM that verifies the broker's certificate. */
  readonly ca: string;
  /** A loopback address of the client, where the server counts by address. */
  readonly localAddress?: string;
  /** The key exchange groups that the client offers; OpenSSL's own list without it. */
  readonly ecdhCurve?: string;
}

/** An open session and the topic that its device publishes on. */
export interface Session {
  readonly socket: TLSSocket;
  readonly topic: string;
}

const DISCONNECT = Buffer.of(0xe0, 0);
const CONNACK_ACCEPTED = Buffer.of(0x20, 2, 0, 0);
const CONNECT = { cmd: "connect", protocolId: "MQTT", protocolVersion: 4, clean: true, keepalive: 120 } as const;

/** Returns the options of a TLS connection to a server on loopback. */
export function loopback({ port, ca, localAddress }: { port: number; ca: string; localAddress?: string | undefined }) {
  const from = localAddress === undefined ? {} : { localAddress };
  return { host: "127.0.0.1", port, ca, servername: "localhost", ...from };
}

/** Opens an MQTT 3.1.1 session over mutual TLS, whose caller reads it. @throws Error when the broker refuses it */
export async function openMqtt(target: MqttTarget, { deviceId, key, fullchain }: Identity): Promise<TLSSocket> {
  const groups = target.ecdhCurve === undefined ? {} : { ecdhCurve: target.ecdhCurve };
  const socket = connect({ ...loopback(target), ...groups, cert: fullchain, key });
  socket.on("secureConnect", () => {
    socket.setNoDelay(true);
    socket.write(generate({ ...CONNECT, clientId: deviceId }));
  });
  const accepted = new Promise<TLSSocket>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`${deviceId}: closed before CONNACK`)));
    socket.once("data", (chunk: Buffer) => {
      socket.removeAllListeners("close");
      socket.removeAllListeners("error");
      socket.on("error", () => undefined);
      if (chunk.equals(CONNACK_ACCEPTED)) resolve(socket);
      else reject(new Error(`${deviceId}: refused with ${chunk.toString("hex")}`));
    });
  });
  return await within(30, () => `${deviceId}: CONNACK`, accepted);
}

/** Sends DISCONNECT and waits for the end of the connection. */
export function closeMqtt(socket: TLSSocket): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.end(DISCONNECT);
  });
  return within(30, () => "the end of a session after DISCONNECT", closed);
}

/** Opens a session for each identity, 24 at a time. */
export async function openAll(target: MqttTarget, identities: readonly Identity[]): Promise<Session[]> {
  const sessions: Session[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < identities.length) {
      const index = next++;
      const identity = identities[index]!;
      sessions[index] = { socket: await openMqtt(target, identity), topic: identity.topic };
    }
  };
  await Promise.all(Array.from({ length: 24 }, worker));
  return sessions;
}

export async function closeAll(sessions: readonly Session[]): Promise<void> {
  await Promise.all(sessions.map(({ socket }) => closeMqtt(socket)));
}
