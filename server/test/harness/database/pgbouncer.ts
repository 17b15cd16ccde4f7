import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { eventually } from "../eventually.ts";

const program = findProgram();

/** The reason tests with PgBouncer are skipped; undefined if they run. */
export const pgbouncerMissing =
  program === undefined ? "no pgbouncer on the PATH or in /usr/sbin (Debian package pgbouncer)" : undefined;

const SETTINGS = "SET jit = off; SET enable_seqscan = off; SET statement_timeout = 2500";

/** A PgBouncer in transaction mode in front of a PostgreSQL server. */
export interface PgBouncer {
  /** The address of the database through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer.
 * @param settings whether it applies the service's settings to its connections
 * @param ignores startup parameters that it drops instead of refusing
 */
export async function startPgBouncer(
  databaseUrl: string,
  { settings = true, ignores = "" }: { settings?: boolean; ignores?: string } = {},
): Promise<PgBouncer> {
  const { hostname, port: postgresPort, username, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "muster-pgbouncer-"));
  const port = await freePort();
  const query = settings ? `connect_query='${SETTINGS}'` : "";
  await writeFile(join(folder, "users.txt"), `"${username}" ""\n`);
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]
* = host=${hostname} port=${postgresPort} ${query}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
ignore_startup_parameters = ${ignores}
`,
  );
  await chmod(folder, 0o755);
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(program!, ["-q", ...user, join(folder, "pgbouncer.ini")], { stdio: "ignore" });
  if (!(await eventually(() => answers(port)))) throw new Error("PgBouncer did not start");
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    stop: async () => {
      await end(child);
      await rm(folder, { recursive: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

function findProgram(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders
    .map((folder) => join(folder, "pgbouncer"))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
