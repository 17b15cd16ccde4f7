import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { childrenOf, familyCpuMs, until } from "../measure.ts";
import { Skip } from "../report.ts";

/** A temporary PostgreSQL with its default durability (fsync on). */
export interface PrivatePostgres {
  /** Creates an empty database and returns its address. */
  createDatabase(name: string): Promise<string>;
  /** CPU time of its processes so far, in milliseconds. */
  cpuMs(): number;
  /** Of its first process; another one after {@link PrivatePostgres.start}. */
  readonly pid: number;
  /** Stops all its processes by SIGSTOP, and lets them go on. */
  pause(): void;
  resume(): void;
  /** Ends all its processes by SIGKILL. */
  kill(): Promise<void>;
  /** Shuts it down, as for an upgrade. */
  halt(): Promise<void>;
  /** Starts it again after {@link PrivatePostgres.kill}, where it recovers what was committed, or `halt`. Resolves when it answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param maxConnections of all clients. @throws {@link Skip} where PostgreSQL's programs are missing */
export async function startPostgres(maxConnections = 100): Promise<PrivatePostgres> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), "muster-bench-postgres-"));
  const owner = ownerFor(folder);
  const run = (program: string, args: string[]) =>
    execFileSync(
      owner[0] ?? join(programs, program),
      owner[0] ? [...owner.slice(1), join(programs, program), ...args] : args,
      {
        cwd: folder,
        stdio: "pipe",
      },
    );
  run("initdb", ["-D", join(folder, "data"), "-U", "muster", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
  const port = await freePort();
  const server = [join(programs, "postgres"), "-D", join(folder, "data"), "-p", String(port)];
  const settings = [
    "-h",
    "127.0.0.1",
    "-k",
    folder,
    "-c",
    `max_connections=${maxConnections}`,
    "-c",
    "shared_buffers=256MB",
  ];
  const [command, ...args] = [...owner, ...server, ...settings, "-c", "max_wal_size=4GB"];
  const url = (name: string) => `postgres://muster@127.0.0.1:${port}/${name}`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(command!, args, { cwd: folder, stdio: "ignore" });
    await until("PostgreSQL", 60, () => answers(url("postgres")));
  };
  const signal = (name: NodeJS.Signals) => signalFamily(child.pid!, name);
  await start();
  return {
    createDatabase: async (name) => {
      await query(url("postgres"), `CREATE DATABASE ${name}`);
      return url(name);
    },
    cpuMs: () => familyCpuMs(child.pid!),
    get pid() {
      return child.pid!;
    },
    pause: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    kill: async () => {
      const exit = once(child, "exit");
      signal("SIGKILL");
      await exit;
    },
    halt: () => ended(child),
    start,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) signal("SIGCONT");
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The process comes first: a stopped or ended one starts no more children. */
function signalFamily(pid: number, name: NodeJS.Signals): void {
  const children = childrenOf(pid);
  process.kill(pid, name);
  for (const child of new Set([...children, ...childrenOf(pid)])) sendSignal(child, name);
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** One statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}

function findPrograms(): string {
  const versions = "/usr/lib/postgresql";
  const found = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, "bin"))
        .find((folder) => existsSync(join(folder, "initdb")))
    : undefined;
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

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

async function answers(url: string): Promise<true | undefined> {
  return await query(url, "SELECT 1").then(
    () => true as const,
    () => undefined,
  );
}

/** SIGINT is PostgreSQL's fast shutdown. */
function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGINT");
  });
}
