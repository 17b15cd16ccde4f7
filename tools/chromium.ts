import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** How the tests, the screenshots and the benchmarks start it: also as root, and without a display. */
export const CHROMIUM_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** Chromium on the `PATH`. */
export function chromiumPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = folders.flatMap((folder) => ["chromium", "chromium-browser"].map((name) => join(folder, name)));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
