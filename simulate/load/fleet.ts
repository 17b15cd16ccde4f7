import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Figures } from "../figures/figures.ts";
import type { LoadAnswer, LoadCall } from "./process.ts";
import type { DeviceResult, GatewayResult, LoadPlan, LoadRequests, LoadStatus, PublishedByDevice } from "./protocol.ts";

type Answer<Name extends keyof LoadRequests> = ReturnType<LoadRequests[Name]>;

/** One load process, as the simulator sees it. */
class LoadProcess {
  /** How late its timers were, at most, in milliseconds. */
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

  start(plan: LoadPlan): Promise<unknown> {
    return this.#call({ plan });
  }

  ask<Name extends keyof LoadRequests>(name: Name, ...args: Parameters<LoadRequests[Name]>): Promise<Answer<Name>> {
    return this.#call({ name, args }) as Promise<Answer<Name>>;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    await exit;
  }

  #call(call: Omit<LoadCall, "id">): Promise<unknown> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(new Error("a load process has ended"));
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ...call });
    });
  }
}

/** All simulated clients: devices in some processes, gateways in one of their own. */
export class Fleet {
  readonly #devices: LoadProcess[];
  readonly #gateways: LoadProcess | undefined;

  private constructor(devices: LoadProcess[], gateways: LoadProcess | undefined) {
    this.#devices = devices;
    this.#gateways = gateways;
  }

  /** @param plan of all processes @param processes how many share the devices */
  static async start(plan: LoadPlan, processes: number): Promise<Fleet> {
    const devices = Array.from({ length: processes }, () => new LoadProcess());
    const gateways = plan.gateways.length > 0 ? new LoadProcess() : undefined;
    const fleet = new Fleet(devices, gateways);
    const share = (index: number) => plan.devices.filter((_, device) => device % processes === index);
    const deviceless = { ...plan, gateways: [], topics: [] };
    await Promise.all([
      ...devices.map((each, index) => each.start({ ...deviceless, devices: share(index) })),
      gateways?.start({ ...plan, devices: [] }),
    ]);
    return fleet;
  }

  /** Connects gateways only: they must subscribe before the first message. */
  async connectGateways(): Promise<void> {
    await this.#gateways?.ask("connect", Infinity);
  }

  async connectDevices(perSecond: number): Promise<void> {
    await Promise.all(this.#devices.map((each) => each.ask("connect", perSecond / this.#devices.length)));
  }

  async publish(on: boolean): Promise<void> {
    await Promise.all(this.#devices.map((each) => each.ask("publish", on)));
  }

  /** Breaks the connections of all clients at once. */
  async storm(): Promise<void> {
    await Promise.all(this.#all.map((each) => each.ask("storm")));
  }

  /** Clients that have another address than their first one connect to that again. */
  async goHome(): Promise<void> {
    await Promise.all(this.#all.map((each) => each.ask("goHome")));
  }

  /** @param of which clients; all when absent */
  async status(of: "gateways" | "all" = "all"): Promise<LoadStatus> {
    const asked = of === "all" ? this.#all : this.#all.filter((each) => each === this.#gateways);
    const statuses = await Promise.all(asked.map((each) => each.ask("status")));
    const sum = (field: keyof LoadStatus) => statuses.reduce((total, status) => total + status[field], 0);
    return {
      clients: sum("clients"),
      connected: sum("connected"),
      inFlight: sum("inFlight"),
      lostConnections: sum("lostConnections"),
      published: sum("published"),
      received: sum("received"),
      lastConnectedAt: Math.max(0, ...statuses.map(({ lastConnectedAt }) => lastConnectedAt)),
    };
  }

  /** What happened in all processes since the last call. */
  async takeFigures(): Promise<Figures> {
    const figures = new Figures();
    for (const data of await Promise.all(this.#all.map((each) => each.ask("takeFigures")))) figures.merge(data);
    return figures;
  }

  async expectEnd(deviceIds: readonly string[]): Promise<void> {
    await Promise.all(this.#devices.map((each) => each.ask("expectEnd", deviceIds)));
  }

  /** Device id → when its session ended, in milliseconds since 1970. */
  async ends(): Promise<Map<string, number>> {
    return new Map((await Promise.all(this.#devices.map((each) => each.ask("ends")))).flat());
  }

  async deviceResults(): Promise<DeviceResult[]> {
    return (await Promise.all(this.#devices.map((each) => each.ask("deviceResults")))).flat();
  }

  async gatewayResults(published: readonly PublishedByDevice[]): Promise<GatewayResult[]> {
    return (await this.#gateways?.ask("gatewayResults", published)) ?? [];
  }

  /** How late the timers of a load process were, at most, in milliseconds. */
  get lateMs(): number {
    return Math.max(0, ...this.#all.map(({ lateMs }) => lateMs));
  }

  /** Ends all connections and processes. */
  async stop(): Promise<void> {
    await Promise.all(this.#all.map((each) => each.ask("stop").catch(() => undefined)));
    await Promise.all(this.#all.map((each) => each.end()));
  }

  get #all(): LoadProcess[] {
    return this.#gateways ? [this.#gateways, ...this.#devices] : this.#devices;
  }
}
