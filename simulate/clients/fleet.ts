import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Figures } from "../figures/figures.ts";
import type { Load } from "./load.ts";
import type { LoadAnswer, LoadCall } from "./process.ts";
import type { DeviceResult, GatewayResult, LoadPlan, LoadStatus, PublishedByDevice } from "./protocol.ts";

type Answer<Name extends keyof Load> = ReturnType<Load[Name]>;

/** One load process, as the simulator sees it. */
class LoadProcess {
  /** The longest delay of its timers, in milliseconds. */
  lateMs = 0;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #id = 0;

  constructor() {
    this.#child = fork(join(import.meta.dirname, "process.ts"), { serialization: "advanced" });
    this.#child.on("message", ({ id, value, lateMs }: LoadAnswer) => {
      this.lateMs = Math.max(this.lateMs, lateMs);
      this.#waiting.get(id)?.resolve(value);
      this.#waiting.delete(id);
    });
    this.#child.once("exit", (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`a load process ended with ${signal ?? code}`));
    });
  }

  call(call: Omit<LoadCall, "id">): Promise<unknown> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(new Error("a load process has ended"));
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ...call });
    });
  }

  async end(): Promise<void> {
    await this.call({ name: "stop" }).catch(() => undefined);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    await exit;
  }
}

/** All simulated clients: devices in some processes, gateways in one of their own. */
export class Fleet {
  readonly #devices: LoadProcess[];
  readonly #gateways: LoadProcess[];

  private constructor(devices: LoadProcess[], gateways: LoadProcess[]) {
    this.#devices = devices;
    this.#gateways = gateways;
  }

  /** @param plan of all processes @param processes how many share the devices */
  static async start(plan: LoadPlan, processes: number): Promise<Fleet> {
    const devices = Array.from({ length: processes }, () => new LoadProcess());
    const gateways = plan.gateways.length > 0 ? [new LoadProcess()] : [];
    const share = (index: number) => plan.devices.filter((_, device) => device % processes === index);
    const deviceless = { ...plan, gateways: [], topics: [] };
    await Promise.all([
      ...devices.map((each, index) => each.call({ plan: { ...deviceless, devices: share(index) } })),
      ...gateways.map((each) => each.call({ plan: { ...plan, devices: [] } })),
    ]);
    return new Fleet(devices, gateways);
  }

  /** Connects gateways only: they must subscribe before the first message. */
  readonly connectGateways = () => this.#ask(this.#gateways, "connect", Infinity);
  readonly connectDevices = (perSecond: number) =>
    this.#ask(this.#devices, "connect", perSecond / this.#devices.length);
  readonly publish = (on: boolean) => this.#ask(this.#devices, "publish", on);
  /** Breaks the connections of all clients at the same moment. */
  readonly storm = () => this.#ask(this.#all, "storm");
  /** Moves connections at other addresses to each client's first one. */
  readonly goHome = () => this.#ask(this.#all, "goHome");
  readonly expectEnd = (deviceIds: readonly string[]) => this.#ask(this.#devices, "expectEnd", deviceIds);

  async status(of: "gateways" | "all" = "all"): Promise<LoadStatus> {
    const statuses = await this.#ask(of === "all" ? this.#all : this.#gateways, "status");
    const sum = { clients: 0, connected: 0, inFlight: 0, lostConnections: 0, published: 0, received: 0 };
    for (const status of statuses)
      for (const field of Object.keys(sum) as (keyof typeof sum)[]) sum[field] += status[field];
    return { ...sum, lastConnectedAt: Math.max(0, ...statuses.map(({ lastConnectedAt }) => lastConnectedAt)) };
  }

  /** Returns the figures of all processes since the last call. */
  async takeFigures(): Promise<Figures> {
    const figures = new Figures();
    for (const data of await this.#ask(this.#all, "takeFigures")) figures.merge(data);
    return figures;
  }

  /** Returns device id → when its session ended, in milliseconds since 1970. */
  async ends(): Promise<Map<string, number>> {
    return new Map((await this.#ask(this.#devices, "ends")).flat());
  }

  async deviceResults(): Promise<DeviceResult[]> {
    return (await this.#ask(this.#devices, "deviceResults")).flat();
  }

  async gatewayResults(published: readonly PublishedByDevice[]): Promise<GatewayResult[]> {
    return (await this.#ask(this.#gateways, "gatewayResults", published)).flat();
  }

  /** The longest delay of a load process's timers, in milliseconds. */
  get lateMs(): number {
    return Math.max(0, ...this.#all.map(({ lateMs }) => lateMs));
  }

  /** Ends all connections and processes. */
  async stop(): Promise<void> {
    await Promise.all(this.#all.map((each) => each.end()));
  }

  get #all(): LoadProcess[] {
    return [...this.#gateways, ...this.#devices];
  }

  #ask<Name extends keyof Load>(
    processes: readonly LoadProcess[],
    name: Name,
    ...args: Parameters<Load[Name]>
  ): Promise<Answer<Name>[]> {
    return Promise.all(processes.map((each) => each.call({ name, args }) as Promise<Answer<Name>>));
  }
}
