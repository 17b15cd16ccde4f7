import { writeFileSync } from "node:fs";
import { after, describe } from "node:test";

export interface SharedFile {
  name: string;
  url: string;
}

/**
 * Runs the files that no other process has taken, one after the other, each as a suite.
 *
 * @param folder of the marks that record which process has taken a file, and which files have ended
 */
export async function runShared(files: readonly SharedFile[], folder: string): Promise<void> {
  for (const [at, { name, url }] of files.entries()) {
    if (!take(`${folder}/taken-${at}`)) continue;
    await new Promise<void>((resolve) => {
      describe(name, async () => {
        await import(url).finally(() => {
          // This is the last hook, so those of the file have run.
          after(() => resolve());
        });
      });
    });
    writeFileSync(`${folder}/ended-${at}`, "");
  }
}

/** @returns false if another process was first */
function take(path: string): boolean {
  try {
    writeFileSync(path, process.argv[1]!, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
