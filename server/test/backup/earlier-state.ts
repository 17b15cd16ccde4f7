import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { dumpDatabase, recoverDatabase } from "../harness/database/copy-of-database.ts";
import { fillFolder, onPostgres, testDatabase } from "../harness/database/database.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { type Ran, startCommandLine } from "../harness/processes/command-line.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** A service, a backup of it, and what replaces its database by the backup while that can still be read. */
export interface EarlierState {
  /** The data folder of the embedded database. */
  readonly dataDir: string;
  /** Starts the service on the present database: after {@link bringBack} that is the restored one. */
  start(): Promise<TestServer>;
  stop(server: TestServer): Promise<void>;
  /** `muster backup`, or pg_dump. */
  backUp(server: TestServer): Promise<void>;
  /**
   * `muster restore --replace`; or pg_restore beside the former database, then `muster reapply-revocations`. The
   * service has stopped.
   */
  bringBack(): Promise<Ran>;
  /** `muster restore` of the backup, on the embedded database. */
  restore(...flags: string[]): Promise<Ran>;
  /** The first of the two steps alone, on PostgreSQL. */
  recover(): Promise<void>;
  /** The second one alone, on PostgreSQL. @param settings others than the addresses of the two databases */
  reapply(settings?: Record<string, string>, ...flags: string[]): Promise<Ran>;
  /** The addresses on PostgreSQL. */
  urls(): { former: string; recovered: string };
}

export async function earlierState(t: TestContext): Promise<EarlierState> {
  const folder = await mkdtemp(join(tmpdir(), "muster-over-"));
  const [dataDir, file] = [join(folder, "data"), join(folder, "one.backup")];
  const commandLine = await startCommandLine();
  const running = new Set<TestServer>();
  const databases: { url: string | undefined; remove(): Promise<void> }[] = onPostgres ? [await testDatabase()] : [];
  t.after(async () => {
    for (const server of running) await server.stop();
    await commandLine.stop();
    for (const { remove } of databases) await remove();
    await rm(folder, { recursive: true, force: true });
  });
  if (!onPostgres) await fillFolder(dataDir);
  const clock = new FakeClock();
  const urls = () => ({ former: databases[0]!.url!, recovered: databases.at(-1)!.url! });
  const reapply: EarlierState["reapply"] = (settings, ...flags) => {
    const { former, recovered } = urls();
    const own = { MUSTER_DATABASE_URL: recovered, MUSTER_FORMER_DATABASE_URL: former };
    return commandLine.run(["reapply-revocations", "--json", ...flags], dataDir, { ...own, ...settings });
  };
  const recover = async () => void databases.push(await recoverDatabase(file));
  const restore: EarlierState["restore"] = (...flags) => commandLine.run(["restore", file, ...flags], dataDir);
  return {
    dataDir,
    restore,
    recover,
    urls,
    reapply,
    async start() {
      const server = await startServer(
        onPostgres
          ? { databaseUrl: urls().recovered, clock, patient: true }
          : { dataDir, clock, env: { MUSTER_EMBEDDED_SYNC: "off" } },
      );
      running.add(server);
      return server;
    },
    async stop(server) {
      running.delete(server);
      await server.stop();
    },
    async backUp(server) {
      if (onPostgres) await dumpDatabase(urls().former, file);
      else await server.app.backup.writeTo(file);
    },
    async bringBack() {
      if (!onPostgres) return await restore("--replace", "--json");
      await recover();
      return await reapply();
    },
  };
}
