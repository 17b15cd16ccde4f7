import { readdirSync } from "node:fs";
import { logLines, type MusterProcess, newDataDir, startMuster } from "../load/muster.ts";
import { startPostgres } from "../load/postgres.ts";
import { type Database, openDatabase } from "../server/src/db/database.ts";
import { createLogger } from "../server/src/lib/logger.ts";

/** `workers` is PostgreSQL with a service of four worker processes. */
export const DATABASES = ["embedded", "postgres", "workers"] as const;
export type DatabaseKind = (typeof DATABASES)[number];

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
    const muster = await startMuster(dataDir.path, url, { ...workers, ...settings });
    const stop = () => muster.stop().finally(remove);
    return { ...muster, newWarnings: warningsIn(dataDir.path), stop };
  } catch (error) {
    await remove();
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
