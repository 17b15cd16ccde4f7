/** The file of a backup: a line with its head as JSON, followed by the database's folder as a gzipped archive. */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { VERSION } from "../lib/installed/version.ts";
import { NEWEST_SCHEMA } from "./restore-store.ts";

/** The layout that this version writes, and the newest that it reads. */
const FORMAT = 1;
const MAGIC = "muster-backup ";
const MAX_HEAD_BYTES = 1024;

/** The part of a backup that every version can read. */
interface Head {
  format: number;
  /** The newest migration step of the database. */
  schema: number;
  /** The version of the service that wrote it. */
  version: string;
}

/** Returns the beginning of a backup written by this version. */
export function backupHead(): Buffer {
  const head: Head = { format: FORMAT, schema: NEWEST_SCHEMA, version: VERSION };
  return Buffer.from(`${MAGIC}${JSON.stringify(head)}\n`);
}

/**
 * Reads a backup written by this version or an earlier one.
 *
 * @returns the database's folder as an archive
 * @throws Error if the file is not a backup, is truncated (gzip's checksum is verified before anything is written), or
 *   was written by a later version
 */
export async function readBackup(file: string): Promise<Blob> {
  const content = await readFile(file);
  const end = content.subarray(0, MAX_HEAD_BYTES).indexOf("\n");
  requireKnown(file, parseHead(content.toString("utf8", 0, Math.max(end, 0))));
  try {
    return new Blob([new Uint8Array(await promisify(gunzip)(content.subarray(end + 1)))]);
  } catch (error) {
    throw notWhole(file, error);
  }
}

function parseHead(line: string): Head | undefined {
  if (!line.startsWith(MAGIC)) return undefined;
  try {
    const { format, schema, version } = JSON.parse(line.slice(MAGIC.length));
    return Number.isInteger(format) && Number.isInteger(schema)
      ? { format, schema, version: String(version) }
      : undefined;
  } catch {
    return undefined;
  }
}

function requireKnown(file: string, head: Head | undefined): void {
  if (head === undefined) throw notWhole(file);
  const { format, schema, version } = head;
  const [what, newest] = format > FORMAT ? [`format ${format}`, FORMAT] : [`schema ${schema}`, NEWEST_SCHEMA];
  if (format <= FORMAT && schema <= NEWEST_SCHEMA) return;
  throw new Error(
    `${file} is a backup of Muster ${version} with ${what}, and this version knows only ${newest}: restore it with that version or a later one`,
  );
}

function notWhole(file: string, cause?: unknown): Error {
  return new Error(`${file} is not a backup, or not a complete one`, { cause });
}
