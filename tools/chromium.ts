import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The arguments with which tests, screenshots and benchmarks start Chromium, also as root and without a display. The
 * services have development certificates. Playwright's `ignoreHTTPSErrors` makes Chromium restart each request on a new
 * connection after the error, which sometimes fails with ERR_TOO_MANY_RETRIES; with the argument there is no error.
 */
export const CHROMIUM_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--ignore-certificate-errors",
];

/** Returns the path of Chromium on the `PATH`. */
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
