import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpsTarget } from "../bench/load/https-client.ts";
import type { MqttTarget } from "../bench/load/mqtt-client.ts";
import { newDataDir, startMuster } from "../bench/peers/muster.ts";
import { startPostgres } from "../bench/peers/postgres.ts";
import { sendCommand } from "../server/src/control/client.ts";
import { type Database, openDatabase } from "../server/src/db/database.ts";
import { createLogger } from "../server/src/lib/logger.ts";
import type { DatabaseKind } from "./options.ts";

/** `muster serve` in a process of its own, on a new database. */
export interface Service {
  readonly pid: number;
  readonly https: HttpsTarget;
  readonly mqtt: MqttTarget;
  readonly metricsUrl: string;
  /** A command of the shell, sent to the control socket. @throws Error when the service refuses it */
  // biome-ignore lint/suspicious/noExplicitAny: each command answers with a shape of its own
  command(name: string, body: object): Promise<any>;
  /** Lines of its log since the last call that are warnings or worse. */
  newWarnings(): string[];
  stop(): Promise<void>;
}

const WORKERS = 4;

/** @param seed fills the database before the service starts */
export async function startService(
  kind: DatabaseKind,
  settings: Record<string, string>,
  seed: (database: Database) => Promise<void>,
): Promise<Service> {
  const dataDir = newDataDir();
  const postgres = kind === "embedded" ? undefined : await startPostgres();
  const remove = async () => {
    await postgres?.stop();
    dataDir.remove();
  };
  try {
    const url = await postgres?.createDatabase("attack");
    const database = await openDatabase({ url, dataDir: dataDir.path, logger: createLogger("silent") });
    await seed(database).finally(() => database.close());
    const workers = kind === "workers" ? { MUSTER_WORKERS: String(WORKERS) } : {};
    const muster = await startMuster(dataDir.path, url, { ...workers, ...settings });
    return {
      pid: muster.pid,
      https: muster.https,
      mqtt: muster.mqtt,
      metricsUrl: muster.metricsUrl,
      command: async (name, body) => {
        const answer = await sendCommand(dataDir.path, name, body);
        if (!answer.ok) throw new Error(`${name}: ${answer.problem.message}`);
        return answer.result;
      },
      newWarnings: warningsIn(dataDir.path),
      stop: async () => {
        await muster.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function warningsIn(dataDir: string): () => string[] {
  let shown = 0;
  return () => {
    const log = readdirSync(dataDir).filter((name) => name.startsWith("log-"));
    const lines = log.flatMap((name) => readFileSync(join(dataDir, name), "utf8").split("\n"));
    const warnings = lines.filter((line) => /"level":"(?!info|debug)/.test(line));
    const fresh = warnings.slice(shown);
    shown = warnings.length;
    return fresh;
  };
}

/** How many files and sockets the process has open. Linux only. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
