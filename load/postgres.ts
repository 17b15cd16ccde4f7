import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { Skip, until } from "./measure.ts";
import { childrenOf, end, familyCpuMs, freePort, signal } from "./processes.ts";

const VERSIONS = "/usr/lib/postgresql";

/** A temporary PostgreSQL with its default durability (fsync on). */
export type PrivatePostgres = Awaited<ReturnType<typeof startPostgres>>;

/** Starts PostgreSQL in a temporary folder. @throws {@link Skip} where its programs are missing */
export async function startPostgres(maxConnections = 100) {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), "muster-load-postgres-"));
  const owner = ownerFor(folder);
  const data = join(folder, "data");
  const commandOf = (program: string, args: string[]): [string, string[]] => {
    const [command, ...rest] = [...owner, join(programs, program), ...args];
    return [command!, rest];
  };
  const initdb = ["-D", data, "-U", "muster", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(...commandOf("initdb", initdb), { cwd: folder, stdio: "pipe" });
  const port = await freePort();
  const settings = [`max_connections=${maxConnections}`, "shared_buffers=256MB", "max_wal_size=4GB"];
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder];
  const command = commandOf("postgres", [...args, ...settings.flatMap((setting) => ["-c", setting])]);
  const url = (name: string) => `postgres://muster@127.0.0.1:${port}/${name}`;
  const answers = () => query(url("postgres"), "SELECT 1").then(Boolean, () => undefined);
  let child: ChildProcess;
  const start = async () => {
    child = spawn(...command, { cwd: folder, stdio: "ignore" });
    await until("PostgreSQL", 60, answers);
  };
  await start();
  return {
    /** Creates an empty database and returns its address. */
    createDatabase: async (name: string) => {
      await query(url("postgres"), `CREATE DATABASE ${name}`);
      return url(name);
    },
    /** Returns the CPU time of its processes so far, in milliseconds. */
    cpuMs: () => familyCpuMs(child.pid!),
    /** The first process; another one after `start`. */
    get pid() {
      return child.pid!;
    },
    /** Stops all its processes by SIGSTOP. */
    pause: () => signalFamily(child.pid!, "SIGSTOP"),
    resume: () => signalFamily(child.pid!, "SIGCONT"),
    /** Ends all its processes by SIGKILL. */
    kill: async () => {
      const exit = once(child, "exit");
      signalFamily(child.pid!, "SIGKILL");
      await exit;
    },
    /** Shuts it down, as for an upgrade: SIGINT is PostgreSQL's fast shutdown. */
    halt: () => end(child, "SIGINT"),
    /** Starts it again after `kill` or `halt`. Resolves when it answers. */
    start,
    stop: async () => {
      signalFamily(child.pid!, "SIGCONT");
      await end(child, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The parent comes first: once it is stopped or ended, it starts no more children. */
function signalFamily(pid: number, name: NodeJS.Signals): void {
  const children = childrenOf(pid);
  signal([pid], name);
  signal([...new Set([...children, ...childrenOf(pid)])], name);
}

/** Runs `work` on a connection of its own. */
export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return await work(client).finally(() => client.end());
}

/** Runs one statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return await onDatabase(url, async (client) => (await client.query<Row>(statement, [...values])).rows);
}

function findPrograms(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(VERSIONS, version, "bin"));
  const found = folders.find((folder) => existsSync(join(folder, "initdb")));
  if (found === undefined) throw new Skip("PostgreSQL is not installed");
  return found;
}

/** PostgreSQL refuses to run as root. */
function ownerFor(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const uid = Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" }));
  chownSync(folder, uid, uid);
  return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"];
}
