import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import pg from "pg";
import type { Database } from "../../src/db/database.ts";
import { openEmbedded } from "../../src/db/embedded/embedded.ts";
import { openPostgres } from "../../src/db/postgres.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/logger.ts";
import type { Installation } from "../fixtures/installation-1.0/story.ts";
import { bareDatabase, fillFolder, onPostgres } from "../harness/database/database.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/installation-1.0");

/** The installation that version 1.0 left, unpacked for one test. */
export interface UnpackedInstallation extends Installation {
  dataDir: string;
  /** Starts the service on it, or on a data folder restored from it; an hour after the start before. */
  start(dataDir?: string): Promise<TestServer>;
  /** Opens its database without migrating it. */
  open(): Promise<Database>;
  /** The file of a backup that 1.0 wrote, on the embedded database. */
  backup(): Promise<string>;
  remove(): Promise<void>;
}

export async function unpackInstallation(): Promise<UnpackedInstallation> {
  const text = await readFile(join(FIXTURE, onPostgres ? "postgres.json" : "embedded.json"), "utf8");
  const left: Installation = JSON.parse(text);
  const folder = await mkdtemp(join(tmpdir(), "muster-installation-"));
  const dataDir = join(folder, "data");
  const database = onPostgres ? await restoredDump() : undefined;
  if (!database) await fillFolder(dataDir, new Blob([new Uint8Array(await unpacked("data-folder.tar.br"))]));
  const logger = createLogger("silent");
  let starts = 0;
  return {
    ...left,
    dataDir,
    start: (own = dataDir) => {
      const clock = new FakeClock(new Date(Date.parse(left.stoppedAt) + ++starts * HOUR));
      return database
        ? startServer({ databaseUrl: database.url, clock, patient: true })
        : startServer({ dataDir: own, clock, env: { MUSTER_EMBEDDED_SYNC: "off" } });
    },
    open: () => (database ? openPostgres(database.url, { logger }) : openEmbedded({ dataDir, sync: false, logger })),
    backup: async () => {
      const file = join(folder, "of-1.0.backup");
      const head = await readFile(join(FIXTURE, "backup-head.txt"));
      await writeFile(file, Buffer.concat([head, gzipSync(await unpacked("data-folder.tar.br"))]));
      return file;
    },
    remove: async () => {
      await database?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function unpacked(name: string): Promise<Buffer> {
  return brotliDecompressSync(await readFile(join(FIXTURE, name)));
}

async function restoredDump(): Promise<{ url: string; remove(): Promise<void> }> {
  const { url, remove } = await bareDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query((await unpacked("database.sql.br")).toString()).finally(() => client.end());
  return { url: url!, remove };
}
