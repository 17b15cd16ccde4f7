import { writeFileSync } from "node:fs";
import { after, describe } from "node:test";

export interface SharedFile {
  name: string;
  url: string;
}

/**
 * Runs the files that no other process has taken, one after the other, each as a suite.
 *
 * @param prefix of the empty files that say which file a process has taken
 */
export async function runShared(files: readonly SharedFile[], prefix: string): Promise<void> {
  for (const [at, { name, url }] of files.entries()) {
    if (!take(`${prefix}${at}`)) continue;
    await new Promise<void>((resolve) => {
      describe(name, async () => {
        await import(url).finally(() => {
          // The last hook: those of the file have run.
          after(() => resolve());
        });
      });
    });
  }
}

/** @returns false where another process was first */
function take(path: string): boolean {
  try {
    writeFileSync(path, "", { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
