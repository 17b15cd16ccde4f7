import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Files synced at once: the disk commits the metadata of all of them together. */
const AT_ONCE = 16;

/** Resolves once the entries of a folder (new, renamed and deleted files) would survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  await sync(path);
}

/** Resolves once a folder with everything in it would survive a power cut. */
export async function syncTree(path: string): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  for (let at = 0; at < paths.length; at += AT_ONCE) await Promise.all(paths.slice(at, at + AT_ONCE).map(sync));
  await sync(path);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}
