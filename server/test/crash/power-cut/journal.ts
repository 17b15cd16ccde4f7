import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { amcheck } from "@electric-sql/pglite/contrib/amcheck";
import { onEngine } from "../../../src/db/embedded/embedded.ts";
import { engineOf, engineOn } from "../../../src/db/embedded/engine.ts";
import { SyncedFolder } from "../../../src/db/embedded/synced-folder.ts";
import type { Database } from "../../../src/db/types.ts";
import { RecordedFolder } from "./recorded-folder.ts";
import type { Call, Survivors } from "./simulated-disk.ts";

/** A database on a file system that records every call. */
export interface RecordedDatabase extends Database {
  /** The calls so far, starting with those that created the folder. */
  readonly calls: readonly Call[];
}

/**
 * Opens a new database from `snapshot` and records its writes. The content of the folder at that time counts as synced.
 */
export async function openRecorded(snapshot: Blob): Promise<RecordedDatabase> {
  const folder = await newFolder();
  await (await engineOn(new SyncedFolder(folder), snapshot, true)).close();
  const calls: Call[] = [];
  await recordTree(folder, calls);
  const disk = new RecordedFolder(folder, calls);
  const database = onEngine(await engineOn(disk, undefined, true));
  const close = () => database.close().finally(() => rm(folder, { recursive: true }));
  return { ...database, close, calls };
}

/**
 * Opens the database that a power cut has left, as the start of a service does.
 * @throws Error if it cannot be opened
 */
export async function openSurvivors({ folders, files }: Survivors): Promise<Database> {
  const folder = await newFolder();
  for (const path of folders) await mkdir(join(folder, path), { mode: 0o700 });
  await Promise.all([...files].map(([path, content]) => writeFile(join(folder, path), content)));
  const database = onEngine(engineOf(await PGlite.create({ dataDir: folder, extensions: { amcheck } })));
  return { ...database, close: () => database.close().finally(() => rm(folder, { recursive: true })) };
}

async function newFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), `muster-cut-${randomBytes(2).toString("hex")}-`));
}

/** Returns calls that would create the content of `folder`, synced. */
async function recordTree(folder: string, calls: Call[]): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    calls.push({ op: "create", path, isFolder: entry.isDirectory() });
    if (entry.isFile()) calls.push({ op: "write", path, offset: 0, bytes: await readFile(join(folder, path)) });
    calls.push({ op: "sync", path });
  }
  for (const entry of entries) {
    if (entry.isDirectory()) calls.push({ op: "sync", path: relative(folder, join(entry.parentPath, entry.name)) });
  }
  calls.push({ op: "sync", path: "" });
}
