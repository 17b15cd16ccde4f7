import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Returns why a test that needs `command` cannot run here, or `undefined` if it can. With `CI=true` a missing tool is a
 * failure: the comparison with other software must not disappear unnoticed.
 */
export function missingTool(command: string): string | undefined {
  const missing = spawnSync(command, ["--help"], { stdio: "ignore" }).error !== undefined;
  if (!missing) return undefined;
  if (process.env.CI === "true") throw new Error(`${command} is not installed, and this is CI`);
  return `${command} is not installed`;
}

/** Creates a folder that is deleted at the end of the block: `using folder = newFolder()`. */
export function newFolder(): { readonly path: string; file(name: string): string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "muster-pki-"));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
