import type { HttpsTarget } from "../load/https-client.ts";
import { startBareProgram } from "./bare-program.ts";
import { newPeerCertificates } from "./certificates.ts";

/** The peer of our `GET /devices/{id}`: one Fastify route with one indexed SELECT, nothing else. */
export interface BareRoute {
  readonly pid: number;
  readonly https: HttpsTarget;
  stop(): Promise<void>;
}

/** Starts it as a separate process on the same database, with the TLS settings of our listener. */
export async function startBareRoute(databaseUrl: string, tenantId: string): Promise<BareRoute> {
  const certificates = newPeerCertificates();
  const { pid, port, stop } = await startBareProgram("bare-route-server.ts", {
    BARE_DATABASE_URL: databaseUrl,
    BARE_TENANT: tenantId,
    BARE_CERT: certificates.server.cert,
    BARE_KEY: certificates.server.key,
  });
  return { pid, https: { port, ca: certificates.serverRootPem }, stop };
}
