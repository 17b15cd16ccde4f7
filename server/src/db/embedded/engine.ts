import { PGlite } from "@electric-sql/pglite";
import { SESSION_SETTINGS } from "../plans/planner.ts";
import { joinedBytes } from "./joined-bytes.ts";
import { filledMemory } from "./memory-folder.ts";
import { SyncedFolder } from "./synced-folder.ts";

/** PostgreSQL in WebAssembly, spoken to in its wire protocol. It has one session. */
export interface Engine {
  /**
   * Runs one write of a client: whole messages of the wire protocol. The caller gives the buffer away. When it resolves, the
   * transactions that the messages committed are on the disk, unless the engine was opened without `sync`.
   *
   * @returns what PostgreSQL answers
   * @throws Error when the engine has failed for good
   */
  run(messages: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  /** The data folder as a compressed archive. */
  dump(): Promise<Blob>;
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Where the data lies; in memory when absent. Nothing else may use it. */
  folder?: string | undefined;
  /** A dumped data folder to start from. */
  snapshot?: Blob | undefined;
  /** Whether a commit waits until the disk has it. */
  sync: boolean;
}

/** PGlite's own parameters without `-F`, which turns fsync off. */
const PARAMETERS = PGlite.defaultStartParams.filter((parameter) => parameter !== "-F");
/** The file system of PGlite passes fsync on ({@link SyncedFolder}), but no fdatasync. */
const SYNCED = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];
const UNSYNCED = ["-c", "fsync=off"];
/** Segments of the log that a checkpoint keeps for reuse, and how much of a table ANALYZE samples: what maintenance relies on. */
const MAINTAINED = [
  ...["-c", "min_wal_size=32MB", "-c", "max_wal_size=64MB"],
  ...["-c", "default_statistics_target=20"],
];

/** Opens an engine in the calling thread, where it occupies the event loop while a statement runs. */
export async function openEngine({ folder, snapshot, sync }: EngineOptions): Promise<Engine> {
  return await engineOn(folder === undefined ? undefined : new SyncedFolder(folder), snapshot, sync);
}

/** @param disk the file system of the data folder; in memory when undefined */
export async function engineOn(
  disk: SyncedFolder | undefined,
  snapshot: Blob | undefined,
  sync: boolean,
): Promise<Engine> {
  const pglite = await PGlite.create({
    ...(disk ? { fs: disk } : {}),
    ...(snapshot && disk ? { loadDataDir: snapshot } : {}),
    ...(snapshot && !disk ? { extensions: { memory: await filledMemory(snapshot) } } : {}),
    startParams: [...PARAMETERS, ...(sync ? SYNCED : UNSYNCED), ...MAINTAINED, ...SESSION_SETTINGS],
  });
  return engineOf(pglite, disk);
}

/** @param disk says when the engine has failed */
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

/** Collects an answer: PostgreSQL writes it in pieces, into memory that it uses again. */
class Answer {
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];

  add(piece: Uint8Array): void {
    this.#pieces.push(new Uint8Array(piece));
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.#pieces.length === 1 ? this.#pieces[0]! : joinedBytes(this.#pieces);
  }
}
