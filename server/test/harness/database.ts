import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase, type TimeLimits } from "../../src/db/database.ts";
import { archiveOf } from "../../src/db/embedded/memory-folder.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createBare, createMigrated, drop, onPostgres } from "./postgres.ts";
import { bareSnapshot, migratedSnapshot } from "./snapshots.ts";

export { endConnections, onPostgres, setReadOnly } from "./postgres.ts";

/**
 * For tests that measure no time: a request's own limits are a second or two, which a busy machine exceeds where many requests wait
 * for one lock or for a connection.
 */
export const PATIENT: TimeLimits = { connectMs: 60_000, statementMs: 60_000 };

/** What to open a database of one test with, and how to remove it. */
export interface TestDatabase {
  url: string | undefined;
  snapshot: Blob | undefined;
  remove(): Promise<void>;
}

/** With our schema and no rows. */
export async function testDatabase(): Promise<TestDatabase> {
  return onPostgres ? removable(await createMigrated()) : embedded(await migratedSnapshot());
}

/** Without any schema of ours. */
export async function bareDatabase(): Promise<TestDatabase> {
  return onPostgres ? removable(await createBare()) : embedded(await bareSnapshot());
}

function removable(url: string): TestDatabase {
  return { url, snapshot: undefined, remove: () => drop(url) };
}

function embedded(snapshot: Blob): TestDatabase {
  return { url: undefined, snapshot, remove: async () => undefined };
}

/**
 * Opens a database of its own for a test that needs no server around it. Close it, then remove it.
 *
 * @param patient whether statements may take longer than those of a service
 */
export async function openTestDatabase({
  patient = true,
} = {}): Promise<Database & { url: string | undefined; remove(): Promise<void> }> {
  const { url, snapshot, remove } = await testDatabase();
  const timeLimits = patient ? PATIENT : undefined;
  const database = await openDatabase({ url, dataDir: "memory", snapshot, timeLimits, logger: createLogger("silent") });
  return { ...database, url, remove };
}

/** The database that a second process opens on the same data: a pool of its own, or the one connection of the embedded database. */
export async function secondDatabase(
  first: Database & { url: string | undefined },
  { patient = true } = {},
): Promise<Database> {
  if (first.url === undefined) return { ...first, close: async () => undefined };
  const timeLimits = patient ? PATIENT : undefined;
  return openDatabase({ url: first.url, dataDir: "memory", timeLimits, logger: createLogger("silent") });
}

/**
 * Puts an embedded database into a data folder: an empty, migrated one, for a service whose first start is not what is tested, or the one in `snapshot`.
 */
export async function fillFolder(dataDir: string, snapshot?: Blob): Promise<void> {
  const { bytes, folders, files } = await archiveOf(snapshot ?? (await migratedSnapshot()));
  const root = join(dataDir, "postgres");
  for (const folder of folders) await mkdir(`${root}${folder}`, { recursive: true, mode: 0o700 });
  for (const { folder, name, at, size } of files)
    await writeFile(`${root}${folder}/${name}`, bytes.subarray(at, at + size), { mode: 0o600 });
}
