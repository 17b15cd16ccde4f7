import assert from "node:assert/strict";
import { startServer } from "../server.ts";
import { type Ran, startCommandLine } from "./command-line.ts";

/** A service, and the real command line on its data folder. */
export type TestShell = Awaited<ReturnType<typeof startShell>>;

export async function startShell(env: Record<string, string> = {}) {
  const [server, commandLine] = await Promise.all([startServer({ env }), startCommandLine()]);

  function muster(args: string[], dataDir = server.dataDir): Promise<Ran> {
    return commandLine.run(args, dataDir);
  }

  return {
    server,
    muster,
    /** Returns the one JSON object that a command prints. */
    async json(...args: string[]) {
      const { stdout, stderr, code } = await muster([...args, "--json"]);
      assert.equal(code, 0, stderr);
      assert.equal(stderr, "");
      return JSON.parse(stdout);
    },
    /** Returns what a refused command prints on stderr. */
    async refused(...args: string[]): Promise<string> {
      const { stdout, stderr, code } = await muster(args);
      assert.deepEqual({ stdout, code }, { stdout: "", code: 1 });
      return stderr.trim();
    },
    async stop(): Promise<void> {
      await commandLine.stop();
      await server.stop();
    },
  };
}
