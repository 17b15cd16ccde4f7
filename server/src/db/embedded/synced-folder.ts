import { closeSync, fdatasyncSync, fstatSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/** A file or folder in PGlite's module. */
export interface NodeOfFile {
  readonly name: string;
}

export interface OpenFile {
  readonly node: NodeOfFile;
  /** Node's file descriptor. */
  readonly nfd: number;
}

interface Attributes {
  size?: number;
}

/** The part of PGlite's module that implements its Node file system: Emscripten's NODEFS. */
export interface NodeFsModule {
  readonly NODEFS: {
    realPath(node: NodeOfFile): string;
    readonly node_ops: {
      mknod(parent: NodeOfFile, name: string, mode: number, device: number): NodeOfFile;
      rename(node: NodeOfFile, parent: NodeOfFile, name: string): void;
      unlink(parent: NodeOfFile, name: string): void;
      rmdir(parent: NodeOfFile, name: string): void;
      setattr(node: NodeOfFile, attributes: Attributes): void;
    };
    readonly stream_ops: {
      write(file: OpenFile, buffer: ArrayBufferView, offset: number, length: number, position: number): number;
      setattr(file: OpenFile, attributes: Attributes): void;
      /** Missing in Emscripten: fsync then reports success and does nothing. */
      fsync?(file: OpenFile): number;
    };
  };
}

type ModuleOptions = Parameters<NodeFS["init"]>[1];

/**
 * PGlite's Node file system, plus the fsync that it lacks. PostgreSQL itself decides on the order of syncs: the log
 * before a commit is answered and before the pages that it describes, pages before `pg_control`, a folder after a
 * rename. It assumes that syncing a new file also syncs its name; POSIX does not promise that, so the folder is synced
 * with the file.
 */
export class SyncedFolder extends NodeFS {
  /** Set when the engine cannot continue: the disk's contents are unknown, so nothing may be acknowledged any more. */
  failure: Error | undefined;
  /** Folders with unsynced names. */
  readonly #unsynced = new Set<string>();

  override async init(pglite: PGlite, options: ModuleOptions): Promise<{ emscriptenOpts: ModuleOptions }> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const install = (module: unknown) => this.install(module as NodeFsModule);
    const onAbort = (reason: unknown) => this.#fail(new Error(`PostgreSQL has aborted: ${reason}`));
    return { emscriptenOpts: { ...emscriptenOpts, onAbort, preRun: [...(emscriptenOpts.preRun ?? []), install] } };
  }

  protected install({ NODEFS }: NodeFsModule): void {
    const { mknod, rename } = NODEFS.node_ops;
    NODEFS.node_ops.mknod = (parent, name, mode, device) => {
      this.#unsynced.add(NODEFS.realPath(parent));
      return mknod(parent, name, mode, device);
    };
    NODEFS.node_ops.rename = (node, parent, name) => {
      this.#unsynced.add(NODEFS.realPath(parent));
      rename(node, parent, name);
    };
    NODEFS.stream_ops.fsync = ({ nfd, node }) => this.#sync(nfd, NODEFS.realPath(node));
  }

  /** Syncs the names in a folder. */
  protected syncNames(folder: string): void {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  #sync(descriptor: number, path: string): number {
    try {
      if (fstatSync(descriptor).isDirectory()) this.#syncFolder(path);
      else {
        // Also syncs the file's size, the only metadata that matters.
        fdatasyncSync(descriptor);
        if (this.#unsynced.has(dirname(path))) this.#syncFolder(dirname(path));
      }
      return 0;
    } catch (error) {
      this.#fail(error as Error);
      throw error;
    }
  }

  #syncFolder(path: string): void {
    this.syncNames(path);
    this.#unsynced.delete(path);
  }

  #fail(failure: Error): void {
    this.failure ??= failure;
  }
}
