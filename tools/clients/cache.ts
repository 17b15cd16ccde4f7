import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of downloaded programs and generated clients, outside the repository. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "muster/clients");

/**
 * Returns the folder `name` of the cache. `fill` fills it when it is new or its `version` is another one; a `fill` that
 * fails leaves no mark, so that the next run starts again.
 */
export async function cached(
  name: string,
  version: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(CACHE, name);
  const mark = join(folder, ".version");
  if (read(mark) === version) return folder;
  emptied(folder);
  await fill(folder);
  writeFileSync(mark, version);
  return folder;
}

/** Creates an empty folder in place of whatever is there. */
export function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
