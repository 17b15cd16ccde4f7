import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type NatsServer, natsMissing, natsProgram, startNats } from "../server/test/harness/processes/nats-server.ts";
import { Skip } from "./measure.ts";
import { freePort } from "./processes.ts";

/** The disk space of each server: enough for the default size of the ingest stream. */
const MAX_FILE = "8GB";

/** Returns the name of a server of {@link startNatsServers}, as the others know it. */
export const natsName = (index: number): string => `n${index}`;

/**
 * Starts a cluster of NATS servers.
 *
 * @param withStream with JetStream, and with every write synced where the version can do that (`muster nats config`)
 * @throws {@link Skip} where `nats-server` is missing
 */
export async function startNatsServers(count: number, withStream: boolean): Promise<NatsServer[]> {
  if (natsMissing !== undefined) throw new Skip(natsMissing);
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(", ");
  // Clients use only the addresses that they are given: some lead through proxies.
  const cluster = (port: number) =>
    `cluster { name: muster, listen: "127.0.0.1:${port}", routes: [${routes}], no_advertise: true }`;
  const sync = canSync() ? ", sync_interval: always" : "";
  const configuration = (port: number, index: number) => (folder: string) =>
    [
      "max_payload: 4MB",
      `server_name: ${natsName(index)}`,
      ...(count > 1 ? [cluster(port)] : []),
      ...(withStream
        ? [`jetstream { store_dir: "${join(folder, "data")}", max_mem: 16MB, max_file: ${MAX_FILE}${sync} }`]
        : []),
    ].join("\n");
  return await Promise.all(ports.map((port, index) => startNats(configuration(port, index))));
}

/** Debian 12's server cannot. */
function canSync(): boolean {
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(execFileSync(natsProgram!, ["--version"], { encoding: "utf8" })) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10);
}
