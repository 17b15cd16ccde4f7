import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * How the tests, the screenshots and the benchmarks start it: also as root, and without a display. The services that they open have development
 * certificates. Playwright's `ignoreHTTPSErrors` has Chromium restart each request on a new connection after the error, and at times it gives up
 * with ERR_TOO_MANY_RETRIES; with the argument there is no error.
 */
export const CHROMIUM_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--ignore-certificate-errors",
];

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
