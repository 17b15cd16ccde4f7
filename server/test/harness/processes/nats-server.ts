import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

/** Debian's server is older than the oldest version that the product accepts. */
export const NATS_VERSION_FLOOR = "2.9";

/** The path of the server, if it is installed. */
export const natsProgram: string | undefined = findProgram();

/** The reason tests with NATS are skipped; undefined if they run. */
export const natsMissing =
  natsProgram === undefined ? "no nats-server on the PATH or in /usr/sbin (Debian package nats-server)" : undefined;

/** A NATS server on a free port of the loopback interface. */
export interface NatsServer {
  readonly port: number;
  /** `nats://127.0.0.1:<port>` */
  readonly url: string;
  readonly pid: number;
  /** Kills the server and discards its data. */
  kill(): Promise<void>;
  /** Restarts the server on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a server.
 * @param configuration of the server, which may store data in `folder`; its address is added
 */
export async function startNats(
  configuration: string | ((folder: string) => string) = "max_payload: 4MB",
): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), "muster-nats-"));
  const file = join(folder, "nats.conf");
  const text = typeof configuration === "string" ? configuration : configuration(folder);
  let port = -1;
  let server: ChildProcess;
  const start = async () => {
    await writeFile(file, `listen: 127.0.0.1:${port}\n${text}\n`);
    ({ server, port } = await run(file));
  };
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return server.pid!;
    },
    kill,
    start,
    async stop() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts a server with JetStream that keeps its data when it is killed. */
export function startJetStream(more = ""): Promise<NatsServer> {
  return startNats(
    (folder) =>
      `max_payload: 4MB\njetstream { store_dir: "${join(folder, "data")}", max_mem: 16MB, max_file: 1GB }\n${more}`,
  );
}

/** Starts a JetStream cluster whose servers replicate the same data. */
export async function startJetStreamCluster(count = 3): Promise<NatsServer[]> {
  return await Promise.all((await jetStreamCluster(count)).map((start) => start()));
}

/** Functions that start one server each. Until each has been called, the others wait for that server. */
export async function jetStreamCluster(count = 3): Promise<(() => Promise<NatsServer>)[]> {
  const routes = await Promise.all(Array.from({ length: count }, freePort));
  const urls = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
  return routes.map(
    (port, n) => () =>
      startJetStream(`server_name: n${n}\ncluster { name: muster, listen: 127.0.0.1:${port}, routes: [${urls}] }`),
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function run(file: string): Promise<{ server: ChildProcess; port: number }> {
  const server = spawn(natsProgram!, ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
  const lines: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let port: number | undefined;
  createInterface(server.stderr!).on("line", (line) => {
    lines.push(line);
    port ??= Number(/Listening for client connections on .*:(\d+)/.exec(line)?.[1]) || undefined;
    if (port !== undefined && line.includes("Server is ready")) resolve(port);
  });
  server.once("error", reject);
  server.once("exit", () => reject(new Error(`nats-server ended:\n${lines.join("\n")}`)));
  return { server, port: await promise };
}

function findProgram(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, "nats-server")).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
