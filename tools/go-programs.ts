import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** The folder in which `tools/go-programs` installs. */
const INSTALLED = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "muster/bin");

/** Returns the path of a program that is installed by `tools/go-programs` or is on the `PATH`. */
export function findProgram(name: string): string | undefined {
  return [INSTALLED, ...(process.env.PATH ?? "").split(delimiter)]
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
