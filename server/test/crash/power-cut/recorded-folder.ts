import { statSync } from "node:fs";
import { relative } from "node:path";
import {
  type NodeFsModule,
  type NodeOfFile,
  type OpenFile,
  SyncedFolder,
} from "../../../src/db/embedded/synced-folder.ts";
import type { Call } from "./simulated-disk.ts";

/** The file system of the engine, which records every changing call. */
export class RecordedFolder extends SyncedFolder {
  readonly #calls: Call[];

  constructor(folder: string, calls: Call[]) {
    super(folder);
    this.#calls = calls;
  }

  protected override syncNames(folder: string): void {
    super.syncNames(folder);
    this.#calls.push({ op: "sync", path: relative(this.rootDir, folder) });
  }

  protected override install(module: NodeFsModule): void {
    super.install(module);
    const { NODEFS } = module;
    const folder = this.rootDir;
    const pathOf = (node: NodeOfFile) => relative(this.rootDir, NODEFS.realPath(node));
    const within = (parent: NodeOfFile, name: string) => relative(this.rootDir, `${NODEFS.realPath(parent)}/${name}`);
    const record = (call: Call) => void this.#calls.push(call);
    const { mknod, rename, unlink, rmdir, setattr } = NODEFS.node_ops;
    const { write, fsync, setattr: setOpenAttr } = NODEFS.stream_ops;
    Object.assign(NODEFS.node_ops, {
      mknod(parent, name, mode, device) {
        const node = mknod(parent, name, mode, device);
        record({ op: "create", path: within(parent, name), isFolder: (mode & 0o170000) === 0o040000 });
        return node;
      },
      rename(node, parent, name) {
        record({ op: "rename", from: pathOf(node), to: within(parent, name) });
        rename(node, parent, name);
      },
      unlink(parent, name) {
        record({ op: "remove", path: within(parent, name) });
        unlink(parent, name);
      },
      rmdir(parent, name) {
        record({ op: "remove", path: within(parent, name) });
        rmdir(parent, name);
      },
      setattr(node, attributes) {
        if (attributes.size !== undefined) record({ op: "truncate", path: pathOf(node), size: attributes.size });
        setattr(node, attributes);
      },
    } satisfies Partial<NodeFsModule["NODEFS"]["node_ops"]>);
    Object.assign(NODEFS.stream_ops, {
      write(file, buffer, offset, length, position) {
        const count = write(file, buffer, offset, length, position);
        const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, count).slice();
        record({ op: "write", path: pathOf(file.node), offset: position, bytes });
        return count;
      },
      setattr(file, attributes) {
        if (attributes.size !== undefined) record({ op: "truncate", path: pathOf(file.node), size: attributes.size });
        setOpenAttr(file, attributes);
      },
      fsync(file: OpenFile) {
        const result = fsync!(file);
        const path = pathOf(file.node);
        if (statSync(`${folder}/${path}`).isFile()) record({ op: "sync", path });
        return result;
      },
    } satisfies Partial<NodeFsModule["NODEFS"]["stream_ops"]>);
  }
}
