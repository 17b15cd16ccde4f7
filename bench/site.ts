import { unlessEnded } from "../load/interrupt.ts";
import type { Meter } from "../load/measure.ts";
import { type MusterProcess, newDataDir, startMuster } from "../load/muster.ts";
import { startPostgres } from "../load/postgres.ts";
import { meterOf } from "../load/processes.ts";

export type Engine = "PGlite" | "PostgreSQL";

/** An empty database and a data folder for services that run on it, one after the other. */
export interface Site {
  readonly engine: Engine;
  /** The address of the database; undefined for the embedded one. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** Returns the CPU time of the database's own processes, in milliseconds. */
  databaseMs(): number;
  /** Starts a service for `work` and stops it afterwards. @param settings in addition to the default ones */
  serve<T>(work: (muster: MusterProcess, meter: Meter) => Promise<T>, settings?: Record<string, string>): Promise<T>;
}

/** A site on a PostgreSQL of its own. */
export type PostgresSite = Site & { readonly url: string };

/** Runs `work` on a new site. @throws Skip where PostgreSQL is missing */
export async function onPostgres<T>(work: (site: PostgresSite) => Promise<T>): Promise<T> {
  const postgres = await startPostgres();
  const dataDir = newDataDir();
  try {
    const url = await postgres.createDatabase("bench");
    return await work({ ...siteOf("PostgreSQL", dataDir.path, url, postgres.cpuMs), url });
  } finally {
    await postgres.stop();
    dataDir.remove();
  }
}

/** Runs `work` on a new site with the embedded database. */
export async function onEmbedded<T>(work: (site: Site) => Promise<T>): Promise<T> {
  const dataDir = newDataDir();
  return await work(siteOf("PGlite", dataDir.path, undefined, () => 0)).finally(dataDir.remove);
}

export function onSite<T>(engine: Engine, work: (site: Site) => Promise<T>): Promise<T> {
  return engine === "PGlite" ? onEmbedded(work) : onPostgres(work);
}

function siteOf(engine: Engine, dataDir: string, url: string | undefined, databaseMs: () => number): Site {
  return {
    engine,
    url,
    dataDir,
    databaseMs,
    serve: async (work, settings) => {
      const muster = await startMuster(dataDir, url, settings);
      return await unlessEnded(work(muster, meterOf(muster.pid, databaseMs))).finally(muster.stop);
    },
  };
}
