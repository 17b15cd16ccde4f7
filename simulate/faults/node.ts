import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../load/measure.ts";
import { type MusterProcess, newDataDir, startMuster } from "../../load/muster.ts";
import { childrenOf, freePort, isRunning, residentBytes } from "../../load/processes.ts";
import { sendCommand } from "../../server/src/control/client.ts";
import type { DatabaseProxy } from "../../server/test/harness/database-proxy.ts";

/** What serves, by the arguments of its process. */
export type Part = "supervisor" | "jobs" | "serve";

/** Processes of a killed node must have ended so soon. */
const END_SECONDS = 10;

/** A node of several processes whose connections to PostgreSQL and NATS lead through proxies of its own. */
export class FaultyNode {
  readonly name: string;
  readonly ports: { http: number; mqtt: number };
  /** To PostgreSQL. */
  readonly database: DatabaseProxy;
  /** To each NATS server. */
  readonly nats: readonly DatabaseProxy[];
  readonly #settings: Record<string, string>;
  readonly #dataDir = newDataDir();
  #muster: MusterProcess | undefined;
  #ca = "";

  private constructor(
    given: Pick<FaultyNode, "name" | "ports" | "database" | "nats">,
    settings: Record<string, string>,
  ) {
    this.name = given.name;
    this.ports = given.ports;
    this.database = given.database;
    this.nats = given.nats;
    this.#settings = settings;
  }

  /** @param settings of its service, without addresses */
  static async create(
    given: Pick<FaultyNode, "name" | "database" | "nats">,
    settings: Record<string, string>,
  ): Promise<FaultyNode> {
    const [http, mqtt] = [await freePort(), await freePort()];
    const addresses = {
      MUSTER_HTTP_PORT: String(http),
      MUSTER_MQTT_PORT: String(mqtt),
      MUSTER_DATABASE_URL: given.database.url,
      ...(given.nats.length === 0 ? {} : { MUSTER_NATS_URL: given.nats.map(({ url }) => url).join(",") }),
    };
    return new FaultyNode({ ...given, ports: { http, mqtt } }, { ...settings, ...addresses });
  }

  get ca(): string {
    return this.#ca;
  }

  get isRunning(): boolean {
    return this.#muster !== undefined;
  }

  /** Starts it, at the addresses that it always has. Resolves when it serves. */
  async start(): Promise<void> {
    this.#muster = await startMuster(this.#dataDir.path, undefined, this.#settings);
    this.#ca = this.#muster.https.ca;
  }

  async stop(): Promise<void> {
    await this.#muster?.stop();
    this.#muster = undefined;
  }

  remove(): void {
    this.#dataDir.remove();
  }

  /** Its processes of one kind, or all. */
  pids(part?: Part): number[] {
    if (!this.#muster) return [];
    const { pid } = this.#muster;
    const children = part === "supervisor" ? [] : childrenOf(pid).filter((child) => isPart(child, part));
    return part === undefined || part === "supervisor" ? [pid, ...children] : children;
  }

  /** Sends a signal to processes that run. */
  signal(pids: readonly number[], name: NodeJS.Signals): void {
    for (const pid of pids) if (isRunning(pid)) process.kill(pid, name);
  }

  /** Ends the supervisor, or all processes at once. Resolves when none is left. @throws Error where one stays */
  async kill(part?: "supervisor"): Promise<void> {
    const pids = this.pids();
    this.#muster = undefined;
    this.signal(part === undefined ? pids : pids.slice(0, 1), "SIGKILL");
    await until(`${this.name}: processes without a supervisor`, END_SECONDS + 120, () => !pids.some(isRunning));
  }

  /** A command of its control socket. @throws Error when the service refuses it */
  // biome-ignore lint/suspicious/noExplicitAny: each command answers with fields of its own
  async command(name: string, body: object): Promise<any> {
    const answer = await sendCommand(this.#dataDir.path, name, body);
    if (!answer.ok) throw new Error(`${this.name}, ${name}: ${answer.problem.message}`);
    return answer.result;
  }

  /** Resident memory of each of its processes, in bytes. */
  memory(): [Part, number][] {
    return (["supervisor", "jobs", "serve"] as const).flatMap((part) =>
      this.pids(part).flatMap((pid): [Part, number][] => (isRunning(pid) ? [[part, residentBytes(pid)]] : [])),
    );
  }

  /** All lines that its processes have written, of all starts. */
  *logLines(): Generator<string> {
    for (const file of readdirSync(this.#dataDir.path).filter((name) => name.startsWith("log-")))
      yield* readFileSync(join(this.#dataDir.path, file), "utf8").split("\n");
  }
}

function isPart(pid: number, part: Part | undefined): boolean {
  try {
    return part === undefined || readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(part);
  } catch {
    return false;
  }
}
