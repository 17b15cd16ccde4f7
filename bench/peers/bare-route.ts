import { spawn } from "node:child_process";
import { join } from "node:path";
import type { HttpsTarget } from "../load/https-client.ts";
import { until } from "../measure.ts";
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
  const env = {
    ...process.env,
    BARE_DATABASE_URL: databaseUrl,
    BARE_TENANT: tenantId,
    BARE_CERT: certificates.server.cert,
    BARE_KEY: certificates.server.key,
  };
  const program = join(import.meta.dirname, "bare-route-server.ts");
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const port = await until("the bare route", 20, () => {
    if (child.exitCode !== null) throw new Error("the bare route ended");
    const line = /^listening (\d+)$/m.exec(output);
    return line === null ? undefined : Number(line[1]);
  });
  return {
    pid: child.pid!,
    https: { port, ca: certificates.serverRootPem },
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}
