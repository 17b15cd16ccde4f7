import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { ask } from "./postgres.ts";

/** A PostgreSQL server for one test alone. */
export interface OwnPostgres {
  readonly url: string;
  /**
   * Kills one process of PostgreSQL with SIGKILL. PostgreSQL then ends all others and recovers from its log; unflushed
   * writes are lost.
   */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export async function ownPostgres(): Promise<OwnPostgres> {
  const child = spawn("tools/with-postgres", ["sh", "-c", 'echo "$MUSTER_TEST_DATABASE_URL"; exec sleep 600'], {
    cwd: new URL("../../../..", import.meta.url),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  // Asynchronous commits are flushed later than any test lasts.
  await ask(url, "ALTER SYSTEM SET wal_writer_delay = '10s'");
  await ask(url, "SELECT pg_reload_conf()");
  return {
    url,
    async kill() {
      const [row] = await ask<{ pid: number }>(
        url,
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
      );
      assertPostgres(await readFile(`/proc/${row!.pid}/comm`, "utf8"));
      process.kill(row!.pid, "SIGKILL");
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

function assertPostgres(name: string): void {
  if (name.trim() !== "postgres") throw new Error(`not a process of PostgreSQL: ${name}`);
}
