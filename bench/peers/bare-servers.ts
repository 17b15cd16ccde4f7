import { join } from "node:path";
import { newPeerCertificates } from "../../load/certificates.ts";
import type { HttpsTarget } from "../../load/https-client.ts";
import type { Meter } from "../../load/measure.ts";
import type { Identity, MqttTarget } from "../../load/mqtt-client.ts";
import { cpuMs, end, freePort, meterOf, startProgram } from "../../load/processes.ts";
import { collectingOnSignal } from "./collect-garbage.ts";

/** A minimal server in Node, in one or several processes of its own. */
interface BareServer {
  /** The first process. */
  readonly pid: number;
  /** Reads the CPU time of all its processes. */
  readonly meter: Meter;
  stop(): Promise<void>;
}

const startBare = (file: string, env: Record<string, string>) =>
  startProgram(join(import.meta.dirname, file), { env, pattern: /^listening (\d+)$/m });

/** The least that a broker in Node does: mutual TLS, and an acknowledgement for each message (bare-broker-server.ts). */
export interface BareBroker extends BareServer {
  readonly target: MqttTarget;
  newIdentities(count: number): Promise<Identity[]>;
}

/**
 * Starts it with the TLS settings of our listener. It collects its garbage at SIGUSR2.
 *
 * @param processes share a port, as workers do
 */
export async function startBareBroker(processes = 1): Promise<BareBroker> {
  const certificates = newPeerCertificates();
  const shared: Record<string, string> = processes === 1 ? {} : { BARE_PORT: String(await freePort()) };
  const { cert: BARE_CERT, key: BARE_KEY } = certificates.server;
  const env = { ...collectingOnSignal, ...shared, BARE_CERT, BARE_KEY, BARE_ROOT: certificates.deviceRootPem };
  const started = await Promise.all(Array.from({ length: processes }, () => startBare("bare-broker-server.ts", env)));
  const pids = started.map(({ child }) => child.pid!);
  return {
    pid: pids[0]!,
    meter: () => ({ serverMs: pids.reduce((sum, pid) => sum + cpuMs(pid), 0), databaseMs: 0 }),
    target: { port: Number(started[0]!.found[1]), ca: certificates.serverRootPem },
    newIdentities: certificates.newIdentities,
    stop: async () => void (await Promise.all(started.map(({ child }) => end(child)))),
  };
}

/** The peer of our `GET /devices/{id}`: a Fastify route with one indexed SELECT on the same database. */
export async function startBareRoute(
  databaseUrl: string,
  tenantId: string,
  databaseMs: () => number,
): Promise<BareServer & { readonly https: HttpsTarget }> {
  const { server, serverRootPem } = newPeerCertificates();
  const { child, found } = await startBare("bare-route-server.ts", {
    BARE_DATABASE_URL: databaseUrl,
    BARE_TENANT: tenantId,
    BARE_CERT: server.cert,
    BARE_KEY: server.key,
  });
  const https = { port: Number(found[1]), ca: serverRootPem };
  return { pid: child.pid!, meter: meterOf(child.pid!, databaseMs), https, stop: () => end(child) };
}
