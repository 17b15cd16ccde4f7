import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";

/**
 * The steps that change the state folder. A power cut or kill -9 may happen between any two of them; through this
 * interface a test stops after any one.
 */
export interface FileSteps {
  /** Creates a folder and its parents, readable only by the owner; does not change an existing one. */
  makeFolder(path: string): Promise<void>;
  /** Creates or overwrites a file and waits until its bytes are on the disk. */
  write(path: string, text: string, mode: number): Promise<void>;
  /** Renames a file or folder; atomic within one file system. */
  rename(from: string, to: string): Promise<void>;
  /** Deletes a file, or a folder with its contents, if it exists. */
  remove(path: string): Promise<void>;
  /** Waits until the folder's own entries (creations, renames) are on the disk. */
  syncFolder(path: string): Promise<void>;
}

/** The machine's disk. */
export const diskSteps: FileSteps = {
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  write: async (path, text, mode) => {
    const file = await open(path, "w", mode);
    try {
      // open(2) does not change the mode of an existing file; a key must not stay readable by others.
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename,
  remove: (path) => rm(path, { recursive: true, force: true }),
  syncFolder: async (path) => {
    // Windows cannot open a folder for syncing; its renames are journalled by NTFS.
    if (process.platform === "win32") return;
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};

/** Returns the text of the file, or undefined if there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns the names in a folder; empty if there is no folder. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Reports whether `error` says that a path does not exist. */
export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ENOENT" || code === "ENOTDIR";
}
