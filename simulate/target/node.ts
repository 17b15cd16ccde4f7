import { readFileSync } from "node:fs";
import { until } from "../../load/measure.ts";
import { logLines, type MusterProcess, newDataDir, type Shell, startMuster } from "../../load/muster.ts";
import { childrenOf, freePort, isRunning, residentBytes, signal, unlessGone } from "../../load/processes.ts";
import type { DatabaseProxy } from "../../server/test/harness/database/database-proxy.ts";

/** The processes of a node, by the arguments that they were started with. */
export const ROLES = ["supervisor", "jobs", "serve"] as const;
export type Role = (typeof ROLES)[number];

/** The longest that processes of a killed node may live on: a supervisor's children notice its end. */
const END_SECONDS = 130;

/** The proxies between a node and its servers; none unless faults are injected. */
export interface Proxies {
  readonly database: DatabaseProxy | undefined;
  readonly nats: readonly DatabaseProxy[];
}

/** A node of Muster on loopback, of one or several processes. It keeps its ports when it is started again. */
export class Node {
  readonly name: string;
  readonly ports: { http: number; mqtt: number };
  readonly proxies: Proxies;
  readonly #settings: Record<string, string>;
  readonly #dataDir = newDataDir();
  #muster: MusterProcess | undefined;
  #ca = "";

  private constructor(given: Pick<Node, "name" | "ports" | "proxies">, settings: Record<string, string>) {
    this.name = given.name;
    this.ports = given.ports;
    this.proxies = given.proxies;
    this.#settings = settings;
  }

  /** @param settings of its service, without its ports */
  static async create(name: string, proxies: Proxies, settings: Record<string, string>): Promise<Node> {
    const ports = { http: await freePort(), mqtt: await freePort() };
    const listen = { MUSTER_HTTP_PORT: String(ports.http), MUSTER_MQTT_PORT: String(ports.mqtt) };
    return new Node({ name, ports, proxies }, { ...settings, ...listen });
  }

  get ca(): string {
    return this.#ca;
  }

  get isRunning(): boolean {
    return this.#muster !== undefined;
  }

  get metricsUrl(): string | undefined {
    return this.#muster?.metricsUrl;
  }

  /** Starts it. Resolves when it serves. */
  async start(): Promise<void> {
    this.#muster = await startMuster(this.#dataDir.path, undefined, this.#settings);
    this.#ca = this.#muster.https.ca;
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    await this.#muster?.stop();
    this.#muster = undefined;
    this.#dataDir.remove();
  }

  /** Returns its processes of one role, or all. */
  pids(role?: Role): number[] {
    if (!this.#muster) return [];
    const { pid } = this.#muster;
    if (role === "supervisor") return [pid];
    const children = childrenOf(pid);
    return role === undefined ? [pid, ...children] : children.filter((child) => hasRole(child, role));
  }

  /** Ends the supervisor, or all processes, by SIGKILL. Resolves when none is left. @throws Error where one stays */
  async kill(role?: "supervisor"): Promise<void> {
    const pids = this.pids();
    this.#muster = undefined;
    signal(role === undefined ? pids : pids.slice(0, 1), "SIGKILL");
    await until(`${this.name}: processes without a supervisor`, END_SECONDS, () => !pids.some(isRunning));
  }

  readonly shell: Shell = (name, body) => this.#muster!.shell(name, body);

  /** Returns the resident memory of each of its processes, in bytes. */
  memory(): [Role, number][] {
    return ROLES.flatMap((role) => this.pids(role).map((pid): [Role, number] => [role, residentBytes(pid)]));
  }

  /** Returns all lines that its processes have logged, of all starts. */
  logLines(): string[] {
    return logLines(this.#dataDir.path);
  }
}

function hasRole(pid: number, role: Role): boolean {
  const command = unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? "";
  return command.split("\0").includes(role);
}
