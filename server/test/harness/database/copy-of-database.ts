import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { restore } from "../../../src/backup/backup.ts";
import { randomIds } from "../../../src/lib/ids.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { startServer, type TestServer } from "../server.ts";
import { bareDatabase, onPostgres } from "./database.ts";

const run = promisify(execFile);

/** The state of a service's database at one point in time. */
export interface DatabaseCopy {
  /** Starts a service on that state, as after a point-in-time recovery or `muster restore --nothing-revoked-since`. */
  start(): Promise<TestServer>;
}

/** Copies a PostgreSQL database to a file with pg_dump. */
export async function dumpDatabase(url: string, file: string): Promise<void> {
  await run((await programs())("pg_dump"), ["--format=custom", `--file=${file}`, url]);
}

/** Restores such a file into a new database, as a person does. */
export async function recoverDatabase(file: string): Promise<{ url: string; remove(): Promise<void> }> {
  const { url, remove } = await bareDatabase();
  await run((await programs())("pg_restore"), ["--no-owner", `--dbname=${url}`, file]);
  return { url: url!, remove };
}

/**
 * Copies the database of a running service with pg_dump or `muster backup`.
 * @param discard registers a function that removes the copies
 */
export async function copyOfDatabase(
  server: TestServer,
  discard: (remove: () => Promise<unknown>) => void,
): Promise<DatabaseCopy> {
  const folder = await mkdtemp(join(tmpdir(), "muster-copy-"));
  discard(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "copy");
  const started = (copy: TestServer, remove?: () => Promise<unknown>) => {
    discard(() => copy.stop().then(() => remove?.()));
    return copy;
  };
  if (!onPostgres) {
    await server.app.backup.writeTo(file);
    return {
      async start() {
        const dataDir = await mkdtemp(join(folder, "data-"));
        const deps = { dataDir, clock: server.clock, ids: randomIds, logger: createLogger("silent") };
        await restore(deps, file, { mode: "nothing-revoked-since" });
        return started(await startServer({ dataDir, clock: server.clock, env: { MUSTER_EMBEDDED_SYNC: "off" } }));
      },
    };
  }
  await dumpDatabase(server.databaseUrl!, file);
  return {
    async start() {
      const { url, remove } = await recoverDatabase(file);
      return started(await startServer({ databaseUrl: url, clock: server.clock }), remove);
    },
  };
}

/** PostgreSQL's programs of the newest installed version. */
async function programs(): Promise<(name: string) => string> {
  const root = "/usr/lib/postgresql";
  const versions = await readdir(root).catch(() => []);
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0];
  return (name) => (newest === undefined ? name : join(root, newest, "bin", name));
}
