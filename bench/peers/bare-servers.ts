import { join } from "node:path";
import { newPeerCertificates } from "../../load/certificates.ts";
import { end, meterOf, startProgram } from "../../load/processes.ts";
import type { PeerBroker } from "./broker.ts";
import { collectingOnSignal } from "./collect-garbage.ts";

const startBare = (file: string, env: Record<string, string>) =>
  startProgram(join(import.meta.dirname, file), { env, pattern: /^listening (\d+)$/m });

/**
 * Starts the least that a broker in Node does: mutual TLS, and an acknowledgement for each message.
 * It has the TLS settings of our listener and collects its garbage at SIGUSR2.
 */
export async function startBareBroker(): Promise<PeerBroker> {
  const { server, deviceRootPem: BARE_ROOT, serverRootPem: ca, newIdentities } = newPeerCertificates();
  const env = { ...collectingOnSignal, BARE_CERT: server.cert, BARE_KEY: server.key, BARE_ROOT };
  const { child, found } = await startBare("bare-broker-server.ts", env);
  const target = { port: Number(found[1]), ca };
  const pid = child.pid!;
  return { name: "Node TLS", pid, meter: meterOf(pid), target, newIdentities, stop: () => end(child) };
}

/** Starts the peer of our `GET /devices/{id}`: a Fastify route with one indexed SELECT on the same database. */
export async function startBareRoute(databaseUrl: string, tenantId: string, databaseMs: () => number) {
  const { server, serverRootPem } = newPeerCertificates();
  const { child, found } = await startBare("bare-route-server.ts", {
    BARE_DATABASE_URL: databaseUrl,
    BARE_TENANT: tenantId,
    BARE_CERT: server.cert,
    BARE_KEY: server.key,
  });
  const https = { port: Number(found[1]), ca: serverRootPem };
  return { meter: meterOf(child.pid!, databaseMs), https, stop: () => end(child) };
}
