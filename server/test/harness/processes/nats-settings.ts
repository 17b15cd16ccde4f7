import type { NatsSettings } from "../../../src/lib/nats/nats-settings.ts";
import type { StreamSettings } from "../../../src/lib/nats/stream-settings.ts";
import { NATS_VERSION_FLOOR, type NatsServer } from "./nats-server.ts";

/** Settings without encryption or credentials, for the loopback interface. */
export function settingsOf({ port }: Pick<NatsServer, "port">, changes: Partial<NatsSettings> = {}): NatsSettings {
  return {
    servers: [`127.0.0.1:${port}`],
    tls: false,
    credentialsFile: undefined,
    caFile: undefined,
    certFile: undefined,
    keyFile: undefined,
    versionFloor: NATS_VERSION_FLOOR,
    payloadBytes: 2_100_000,
    ...changes,
  };
}

/** Settings of a process with `MUSTER_INGEST=stream`. */
export function streamSettingsOf(nats: Pick<NatsServer, "port">): StreamSettings {
  return { wanted: "stream", nats: settingsOf(nats), maxBytes: 64 * 1024 ** 2, replicas: 1, sessionsMs: 900_000 };
}
