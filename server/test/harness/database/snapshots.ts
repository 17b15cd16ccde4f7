/** Initial embedded databases, created once and loaded from a file by every test process. */
import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { type Migration, migrations } from "../../../src/db/migrations/index.ts";

const NO_SCHEMA: readonly Migration[] = [];
const snapshots = new Map<readonly Migration[], Promise<Blob>>();

/** An empty embedded database, without our schema. */
export function bareSnapshot(): Promise<Blob> {
  return snapshotOf(NO_SCHEMA);
}

/** An embedded database with our schema and no rows. */
export function migratedSnapshot(): Promise<Blob> {
  return snapshotOf(migrations);
}

function snapshotOf(steps: readonly Migration[]): Promise<Blob> {
  const known = snapshots.get(steps) ?? loadSnapshot(steps);
  snapshots.set(steps, known);
  return known;
}

/**
 * Creates a snapshot once per schema: creating an embedded database takes seconds, loading its dump a fraction of that.
 */
async function loadSnapshot(steps: readonly Migration[]): Promise<Blob> {
  const version = JSON.stringify([process.versions.node, SEGMENTS_OF_1_MB, FEW_SEGMENTS, SMALL, steps]);
  const digest = createHash("sha256").update(version).digest("hex").slice(0, 16);
  const file = join(tmpdir(), `muster-test-database-${digest}.tar`);
  const cached = await readFile(file).catch(() => undefined);
  if (cached) return new Blob([new Uint8Array(cached)]);
  const dump = await dumpOf(steps);
  // Several processes may create it at once. Each writes its own file, and the last one remains.
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, new Uint8Array(await dump.arrayBuffer()));
  await rename(aside, file);
  return dump;
}

/** Drops what an empty database contains besides the schema, a third of its size, since every test would load it. */
const SEGMENTS_OF_1_MB = ["--wal-segsize=1"];
const FEW_SEGMENTS = ["-c", "wal_recycle=off"];
const SMALL = [
  "ALTER SYSTEM SET shared_buffers = '8MB'",
  "UPDATE pg_database SET datistemplate = false",
  "DROP DATABASE template0",
  "DROP DATABASE template1",
  "CHECKPOINT",
];

async function dumpOf(steps: readonly Migration[]): Promise<Blob> {
  const pglite = await PGlite.create({
    initDbStartParams: SEGMENTS_OF_1_MB,
    startParams: [...PGlite.defaultStartParams, ...FEW_SEGMENTS],
  });
  for (const step of steps) await pglite.exec(step.sql);
  if (steps.length > 0)
    await pglite.exec("CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL)");
  for (const { number, name } of steps)
    await pglite.query("INSERT INTO schema_migrations VALUES ($1, $2)", [number, name]);
  for (const statement of SMALL) await pglite.exec(statement);
  const dump = await pglite.dumpDataDir("none");
  await pglite.close();
  return dump;
}
