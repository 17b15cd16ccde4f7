import { PGlite } from "@electric-sql/pglite";
import { SESSION_SETTINGS } from "../plans/planner.ts";
import { joinedBytes } from "./joined-bytes.ts";
import { filledMemory } from "./memory-folder.ts";
import { SyncedFolder } from "./synced-folder.ts";

/** PostgreSQL in WebAssembly, addressed by its wire protocol. It has one session. */
export interface Engine {
  /**
   * Runs one write of a client, which consists of whole wire protocol messages, and takes ownership of the buffer. When
   * it resolves, the transactions committed by the messages are on the disk, unless the engine was opened without
   * `sync`.
   *
   * @returns PostgreSQL's answer
   * @throws Error if the engine has failed permanently
   */
  run(messages: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the data folder as a compressed archive. */
  dump(): Promise<Blob>;
  close(): Promise<void>;
}

export interface EngineOptions {
  /** The data folder, which nothing else may use; in memory if absent. */
  folder?: string | undefined;
  /** A dump of a data folder to start from. */
  snapshot?: Blob | undefined;
  /** Whether a commit waits for the disk. */
  sync: boolean;
}

/** PGlite's own parameters without `-F`, which turns fsync off. */
const PARAMETERS = PGlite.defaultStartParams.filter((parameter) => parameter !== "-F");
/** {@link SyncedFolder} implements fsync, but not fdatasync. */
const SYNCED = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];
const UNSYNCED = ["-c", "fsync=off"];
/** Maintenance relies on these: the log segments that a checkpoint keeps for reuse, and the sample size of ANALYZE. */
const MAINTAINED = [
  ...["-c", "min_wal_size=32MB", "-c", "max_wal_size=64MB"],
  ...["-c", "default_statistics_target=20"],
];
/** The buffer cache, which is resident once used. The operating system caches the files as well. */
const SMALL = ["-c", "shared_buffers=16MB"];

/** Opens an engine in the calling thread, where it blocks the event loop while a statement runs. */
export async function openEngine({ folder, snapshot, sync }: EngineOptions): Promise<Engine> {
  return await engineOn(folder === undefined ? undefined : new SyncedFolder(folder), snapshot, sync);
}

/** Opens an engine. @param disk the file system of the data folder; in memory if undefined */
export async function engineOn(
  disk: SyncedFolder | undefined,
  snapshot: Blob | undefined,
  sync: boolean,
): Promise<Engine> {
  const pglite = await PGlite.create({
    ...(disk ? { fs: disk } : {}),
    ...(snapshot && disk ? { loadDataDir: snapshot } : {}),
    ...(snapshot && !disk ? { extensions: { memory: await filledMemory(snapshot) } } : {}),
    startParams: [...PARAMETERS, ...(sync ? SYNCED : UNSYNCED), ...MAINTAINED, ...SMALL, ...SESSION_SETTINGS],
  });
  return engineOf(pglite, disk);
}

/** Wraps PGlite as an engine. @param disk reports when the engine has failed */
export function engineOf(pglite: PGlite, disk?: Pick<SyncedFolder, "failure">): Engine {
  return {
    async run(messages) {
      const answer = new Answer();
      await pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData: (bytes) => answer.add(bytes) });
      if (disk?.failure) throw disk.failure;
      return answer.whole();
    },
    dump: () => pglite.dumpDataDir("gzip"),
    close: () => pglite.close(),
  };
}

/** Collects an answer, which PostgreSQL writes in pieces into memory that it reuses. */
class Answer {
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];

  add(piece: Uint8Array): void {
    this.#pieces.push(new Uint8Array(piece));
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.#pieces.length === 1 ? this.#pieces[0]! : joinedBytes(this.#pieces);
  }
}
