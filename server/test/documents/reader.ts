import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestServer } from "../harness/server.ts";

const ROOT = join(import.meta.dirname, "../../..");
const LAUNCHER = join(ROOT, "server/bin/muster.mjs");
const AGENT = join(ROOT, "agent/bin/muster-agent.mjs");

/**
 * Returns the lines of a shell in which a reader's commands find the service of a test: `npx` starts the programs of
 * this repository, without npm's second per call, and temporary files are in `folder`.
 */
export function readersShell({ dataDir }: Pick<TestServer, "dataDir">, folder: string): string[] {
  return [
    `export TMPDIR=${folder} MUSTER_DATA_DIR='${dataDir}'`,
    `npx() {
       case $1 in
         muster) set -- '${LAUNCHER}' "\${@:2}" ;;
         muster-agent) set -- '${AGENT}' "\${@:2}" ;;
         *) shift ;;
       esac
       '${process.execPath}' "$@"
     }`,
  ];
}

/** Runs lines in one shell in `folder`. @returns what they print @throws Error if the last command fails */
export async function runInShell(lines: readonly string[], folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-c", lines.join("\n")], { cwd: folder });
  return stdout;
}
