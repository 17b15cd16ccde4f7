import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase, type TimeLimits } from "../../../src/db/database.ts";
import { archiveOf } from "../../../src/db/embedded/memory-folder.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { createBare, createMigrated, drop, onPostgres } from "./postgres.ts";
import { bareSnapshot, migratedSnapshot } from "./snapshots.ts";

export { endConnections, onPostgres, setReadOnly } from "./postgres.ts";

/**
 * Generous time limits for tests that measure no time. A request's own limits are a second or two, which a busy machine
 * exceeds when many requests wait for one lock or connection.
 */
export const PATIENT: TimeLimits = { connectMs: 60_000, statementMs: 60_000 };

/** The options with which to open one test's database, and how to remove it. */
export interface TestDatabase {
  url: string | undefined;
  snapshot: Blob | undefined;
  remove(): Promise<void>;
}

/** A database with our schema and no rows. */
export async function testDatabase(): Promise<TestDatabase> {
  return onPostgres ? removable(await createMigrated()) : embedded(await migratedSnapshot());
}

/** A database without our schema. */
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
 * Opens a separate database for a test that needs no server. Close it, then remove it.
 * @param patient whether statements may take longer than a service's
 */
export async function openTestDatabase({
  patient = true,
} = {}): Promise<Database & { url: string | undefined; remove(): Promise<void> }> {
  const { url, snapshot, remove } = await testDatabase();
  const timeLimits = patient ? PATIENT : undefined;
  const database = await openDatabase({ url, dataDir: "memory", snapshot, timeLimits, logger: createLogger("silent") });
  return { ...database, url, remove };
}

/**
 * Returns the database of a second process on the same data: its own pool, or the one connection of the embedded
 * database.
 */
export async function secondDatabase(
  first: Database & { url: string | undefined },
  { patient = true } = {},
): Promise<Database> {
  if (first.url === undefined) return { ...first, close: async () => undefined };
  const timeLimits = patient ? PATIENT : undefined;
  return openDatabase({ url: first.url, dataDir: "memory", timeLimits, logger: createLogger("silent") });
}

/**
 * Puts an embedded database into a data folder: the one in `snapshot`, or by default an empty, migrated one, for a
 * service whose first start is not under test.
 */
export async function fillFolder(dataDir: string, snapshot?: Blob): Promise<void> {
  const { bytes, folders, files } = await archiveOf(snapshot ?? (await migratedSnapshot()));
  const root = join(dataDir, "postgres");
  for (const folder of folders) await mkdir(`${root}${folder}`, { recursive: true, mode: 0o700 });
  for (const { folder, name, at, size } of files)
    await writeFile(`${root}${folder}/${name}`, bytes.subarray(at, at + size), { mode: 0o600 });
}
