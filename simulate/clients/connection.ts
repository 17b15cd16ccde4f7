import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { IConnectPacket } from "mqtt-packet";
import { Wire, type WireEvents } from "../../agent/src/connection/wire.ts";
import type { Address, DeviceIdentity } from "./protocol.ts";

export const KEEP_ALIVE_SECONDS = 60;
const LONGEST_PACKET = 1024 * 1024;

/** A client's certificate, or its user name and password. */
export interface Credentials {
  readonly tls: ConnectionOptions;
  readonly connect: Partial<IConnectPacket> & { clientId: string };
}

export function credentialsOf({ key, fullchain: cert, ca, deviceId: clientId }: DeviceIdentity): Credentials {
  return { tls: { key, cert, ca }, connect: { clientId } };
}

/** Opens a connection and sends CONNECT (MQTT 5). */
export function openWire(
  { host, port, servername = host }: Address,
  { tls, connect }: Credentials,
  events: WireEvents,
): Wire {
  const name = isIP(servername) === 0 ? { servername } : {};
  const wire = new Wire({ ...tls, host, port, ...name, minVersion: "TLSv1.2" }, 5, LONGEST_PACKET, events);
  const about = { protocolId: "MQTT", protocolVersion: 5, clean: true, keepalive: KEEP_ALIVE_SECONDS } as const;
  wire.send({ cmd: "connect", ...about, ...connect });
  return wire;
}
