/** The disk writes a sector entirely or not at all. A page of the database consists of sixteen sectors. */
const SECTOR = 512;

/** A call to the file system. Paths are relative to the data folder, whose own path is empty. */
export type Call =
  | { op: "create"; path: string; isFolder: boolean }
  | { op: "write"; path: string; offset: number; bytes: Uint8Array }
  | { op: "truncate"; path: string; size: number }
  | { op: "rename"; from: string; to: string }
  | { op: "remove"; path: string }
  | { op: "sync"; path: string };

/** Returns a number from 0 to below 1. */
export type Random = () => number;

type Content = Uint8Array<ArrayBuffer>;
type Write = Extract<Call, { op: "write" | "truncate" }>;

interface File {
  readonly isFolder: false;
  synced: Content;
  /** Writes since the last sync, in order. */
  pending: Write[];
}

type Entries = Map<string, File | Folder>;

interface Folder {
  readonly isFolder: true;
  now: Entries;
  synced: Entries;
  /** Changes since the last sync, in order. */
  pending: ((entries: Entries) => void)[];
}

/** The content of the disk after a cut: files by path, and folders, outer ones first. */
export interface Survivors {
  readonly folders: string[];
  readonly files: Map<string, Content>;
}

/**
 * A disk that guarantees only synced data. After a cut it also has an arbitrary part of the rest: any of a file's
 * written sectors, and any prefix of a folder's changes.
 */
export class SimulatedDisk {
  readonly #root = newFolder();

  apply(call: Call): void {
    if (call.op === "create") this.#link(call.path, call.isFolder ? newFolder() : newFile());
    else if (call.op === "remove") this.#unlink(call.path);
    else if (call.op === "sync") sync(this.#at(call.path));
    else if (call.op === "rename") {
      const entry = this.#at(call.from);
      this.#unlink(call.from);
      this.#link(call.to, entry);
    } else {
      const file = this.#at(call.path);
      if (file.isFolder) throw new Error(`${call.path} is a folder`);
      file.pending.push(call);
    }
  }

  cut(random: Random): Survivors {
    const survivors: Survivors = { folders: [], files: new Map() };
    collect(this.#root, "", random, survivors);
    return survivors;
  }

  #at(path: string): File | Folder {
    let entry: File | Folder | undefined = this.#root;
    for (const name of namesOf(path)) entry = entry?.isFolder ? entry.now.get(name) : undefined;
    if (entry === undefined) throw new Error(`there is no ${path}`);
    return entry;
  }

  #link(path: string, entry: File | Folder): void {
    this.#change(path, (entries, name) => entries.set(name, entry));
  }

  #unlink(path: string): void {
    this.#change(path, (entries, name) => entries.delete(name));
  }

  #change(path: string, make: (entries: Entries, name: string) => void): void {
    const names = namesOf(path);
    const name = names.pop()!;
    const folder = this.#at(names.join("/"));
    if (!folder.isFolder) throw new Error(`${path} is in no folder`);
    make(folder.now, name);
    folder.pending.push((entries) => make(entries, name));
  }
}

function newFolder(): Folder {
  return { isFolder: true, now: new Map(), synced: new Map(), pending: [] };
}

function newFile(): File {
  return { isFolder: false, synced: new Uint8Array(0), pending: [] };
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}

function sync(entry: File | Folder): void {
  if (entry.isFolder) entry.synced = new Map(entry.now);
  else entry.synced = written(entry, () => 0, 1);
  entry.pending = [];
}

function collect(folder: Folder, path: string, random: Random, survivors: Survivors): void {
  const entries = new Map(folder.synced);
  const kept = Math.floor(random() * (folder.pending.length + 1));
  for (const change of folder.pending.slice(0, kept)) change(entries);
  for (const [name, entry] of entries) {
    const at = path === "" ? name : `${path}/${name}`;
    if (!entry.isFolder) survivors.files.set(at, written(entry, random, [0, 0.5, 0.95, 1][Math.floor(random() * 4)]!));
    else {
      survivors.folders.push(at);
      collect(entry, at, random, survivors);
    }
  }
}

/** Returns the content of a file on the disk if each written sector survives with this probability. */
function written({ synced, pending }: File, random: Random, chance: number): Content {
  const isThere = () => chance === 1 || (chance > 0 && random() < chance);
  const ends = pending.map((change) => (change.op === "write" ? change.offset + change.bytes.length : change.size));
  const content = new Uint8Array(Math.max(synced.length, ...ends));
  content.set(synced);
  let size = synced.length;
  for (const change of pending) {
    if (change.op === "write") {
      for (const [from, to] of sectorsOf(change)) {
        if (!isThere()) continue;
        content.set(change.bytes.subarray(from - change.offset, to - change.offset), from);
        size = Math.max(size, to);
      }
    } else if (isThere()) {
      content.fill(0, change.size);
      size = change.size;
    }
  }
  return content.slice(0, size);
}

/** Returns the offsets of the sectors of a write. */
function* sectorsOf({ offset, bytes }: Extract<Call, { op: "write" }>): Generator<[from: number, to: number]> {
  const end = offset + bytes.length;
  for (let from = offset; from < end; ) {
    const to = Math.min(end, (Math.floor(from / SECTOR) + 1) * SECTOR);
    yield [from, to];
    from = to;
  }
}
