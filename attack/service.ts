import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { logLines, type MusterProcess, newDataDir, startMuster } from "../load/muster.ts";
import { startPostgres } from "../load/postgres.ts";
import { type Database, openDatabase } from "../server/src/db/database.ts";
import { createLogger } from "../server/src/lib/logger.ts";

/** `workers` is PostgreSQL with a service of four worker processes. */
export const DATABASES = ["embedded", "postgres", "workers"] as const;
/** PostgreSQL with two services, one whose HTTPS port is used and one whose MQTT port is. */
export const APART = "apart";
export type DatabaseKind = (typeof DATABASES)[number] | typeof APART;

/** `muster serve` in a process of its own, on a new database. */
export interface Service extends MusterProcess {
  /** Returns lines of its log since the last call that are warnings or worse. */
  newWarnings(): string[];
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
    const key = kind === APART ? { MUSTER_MASTER_KEY: randomBytes(32).toString("base64") } : {};
    const muster = await startMuster(dataDir.path, url, { ...workers, ...key, ...settings });
    const newWarnings = warningsIn(dataDir.path);
    if (kind !== APART) return { ...muster, newWarnings, stop: () => muster.stop().finally(remove) };
    const other = await httpsApart(url!, { ...key, ...settings }).catch(async (error) => {
      await muster.stop();
      throw error;
    });
    const stop = async () => void (await Promise.all([muster.stop(), other.stop()]).finally(remove));
    return { ...muster, https: other.https, newWarnings, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function httpsApart(url: string, settings: Record<string, string>): Promise<MusterProcess> {
  const dataDir = newDataDir();
  try {
    const muster = await startMuster(dataDir.path, url, settings);
    return { ...muster, stop: () => muster.stop().finally(dataDir.remove) };
  } catch (error) {
    dataDir.remove();
    throw error;
  }
}

function warningsIn(dataDir: string): () => string[] {
  let shown = 0;
  return () => {
    const warnings = logLines(dataDir).filter((line) => /"level":"(?!info|debug)/.test(line));
    const fresh = warnings.slice(shown);
    shown = warnings.length;
    return fresh;
  };
}

/** Returns how many files and sockets the process has open. Linux only. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
