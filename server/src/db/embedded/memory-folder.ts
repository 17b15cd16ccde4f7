import { gunzipSync } from "node:zlib";
import type { Extension } from "@electric-sql/pglite";

/** A file or folder of Emscripten's MEMFS. */
interface MemoryNode {
  contents: Uint8Array;
  usedBytes: number;
}

/** The part of PGlite's module that fills its in-memory file system. */
interface MemoryFsModule {
  readonly FS: {
    mkdirTree(path: string): void;
    chmod(path: string, mode: number): void;
    lookupPath(path: string): { readonly node: MemoryNode };
  };
  readonly MEMFS: {
    createNode(parent: MemoryNode, name: string, mode: number, device: number): MemoryNode;
  };
}

interface Entry {
  folder: string;
  name: string;
  at: number;
  size: number;
}

/** A dump of a data folder. Paths begin with `/`, and the folder itself is "". */
export interface Archive {
  bytes: Uint8Array;
  folders: string[];
  files: Entry[];
}

/** The location of PGlite's data folder. */
const DATA_FOLDER = "/pglite/data";
const BLOCK = 512;
const REGULAR_FILE = 0o100_600;
/** The first byte of a compressed archive (RFC 1952 2.3.1), with which no path begins. */
const GZIP = 0x1f;

const archives = new WeakMap<Blob, Promise<Archive>>();

/**
 * Makes an engine start from a dump of a data folder in memory. PGlite's own `loadDataDir` looks up every part of every
 * path and copies every file, which takes longer than the rest of an engine's start; here the archive is read once for
 * all engines of a process.
 */
export async function filledMemory(snapshot: Blob): Promise<Extension> {
  const archive = await archiveOf(snapshot);
  const fillModule = (module: unknown) => fill(module as MemoryFsModule, archive);
  return {
    name: "a data folder in memory",
    setup: async (_pglite, options) => ({
      emscriptenOpts: { ...options, preRun: [...(options.preRun ?? []), fillModule] },
    }),
  };
}

/** Returns the contents of a dump, which is read only once. */
export function archiveOf(snapshot: Blob): Promise<Archive> {
  const known = archives.get(snapshot) ?? readArchive(snapshot);
  archives.set(snapshot, known);
  return known;
}

/**
 * Fills the file system. An engine's files are views of one copy: PostgreSQL writes into them, and replaces those that
 * grow.
 */
function fill({ FS, MEMFS }: MemoryFsModule, { bytes, folders, files }: Archive): void {
  const own = new Uint8Array(bytes);
  const nodes = new Map<string, MemoryNode>();
  for (const folder of folders) {
    const path = `${DATA_FOLDER}${folder}`;
    FS.mkdirTree(path);
    FS.chmod(path, 0o700);
    nodes.set(folder, FS.lookupPath(path).node);
  }
  for (const { folder, name, at, size } of files) {
    const node = MEMFS.createNode(nodes.get(folder)!, name, REGULAR_FILE, 0);
    node.contents = own.subarray(at, at + size);
    node.usedBytes = size;
  }
}

/**
 * Reads a tar archive (POSIX.1-2001 ustar) as PGlite writes it, compressed or not: its paths fit into the name field.
 */
async function readArchive(snapshot: Blob): Promise<Archive> {
  const dump = new Uint8Array(await snapshot.arrayBuffer());
  const bytes = dump[0] === GZIP ? gunzipSync(dump) : dump;
  const folders = new Set([""]);
  const files: Entry[] = [];
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const path = fieldOf(bytes, at, 100)
      .replace(/^(?!\/)/, "/")
      .replace(/\/$/, "");
    const size = Number.parseInt(fieldOf(bytes, at + 124, 12), 8);
    const slash = path.lastIndexOf("/");
    const isFolder = fieldOf(bytes, at + 156, 1) === "5";
    folders.add(isFolder ? path : path.slice(0, slash));
    if (!isFolder) files.push({ folder: path.slice(0, slash), name: path.slice(slash + 1), at: at + BLOCK, size });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return { bytes, folders: [...folders], files };
}

function fieldOf(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end)).trim();
}
