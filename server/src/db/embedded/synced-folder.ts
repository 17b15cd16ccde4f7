import { fdatasyncSync, fstatSync, fsyncSync } from "node:fs";
import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/** A file or folder as PGlite's module knows it. */
export interface NodeOfFile {
  readonly name: string;
}

export interface OpenFile {
  readonly node: NodeOfFile;
  /** Node's descriptor. */
  readonly nfd: number;
}

interface Attributes {
  size?: number;
}

/** The part of PGlite's module that its Node file system consists of: Emscripten's NODEFS. */
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
 * PGlite's Node file system, with the fsync that it lacks. What must be on the disk before what is PostgreSQL's own logic: the log
 * before a commit is answered and before the pages that it describes, pages before `pg_control`, a folder after a rename.
 */
export class SyncedFolder extends NodeFS {
  /** Why a file could not be synced. What the disk holds is unknown then, so nothing may be acknowledged any more. */
  failure: Error | undefined;

  override async init(pglite: PGlite, options: ModuleOptions): Promise<{ emscriptenOpts: ModuleOptions }> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const install = (module: unknown) => this.install(module as NodeFsModule);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), install] } };
  }

  protected install({ NODEFS }: NodeFsModule): void {
    NODEFS.stream_ops.fsync = ({ nfd }) => this.#sync(nfd);
  }

  #sync(descriptor: number): number {
    try {
      // The sizes of a file are synced by fdatasync too; a folder's entries are its metadata.
      if (fstatSync(descriptor).isDirectory()) fsyncSync(descriptor);
      else fdatasyncSync(descriptor);
      return 0;
    } catch (error) {
      this.failure ??= error as Error;
      throw error;
    }
  }
}
