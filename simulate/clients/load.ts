import { Figures, type FiguresData } from "../figures/figures.ts";
import { Admission, type LoadClient, type Shared } from "./client.ts";
import { SimulatedDevice } from "./device.ts";
import type { DeviceResult, GatewayResult, LoadPlan, LoadStatus, PublishedByDevice } from "./protocol.ts";
import { Subscriber } from "./subscriber.ts";

const TICK_MS = 10;
/** Handshakes at a time: more in one process would wait for its core until the broker's time limit is over. */
const HANDSHAKES = 200;

/** The clients of one load process. Its methods are the requests that the simulator sends to the process. */
export class Load {
  readonly #devices: SimulatedDevice[];
  readonly #subscribers: Subscriber[];
  readonly #clients: LoadClient[];
  readonly #byId: Map<string, SimulatedDevice>;
  readonly #everyMs: number;
  #figures = new Figures();
  #expected: string[] = [];
  #connecting: NodeJS.Timeout | undefined;
  #publishing: NodeJS.Timeout | undefined;

  constructor(plan: LoadPlan) {
    const { addresses, devices, gateways, topics, every } = plan;
    const shared: Shared = { addresses, admission: new Admission(HANDSHAKES), figures: () => this.#figures };
    this.#devices = devices.map((each) => new SimulatedDevice(shared, each, plan));
    this.#subscribers = gateways.map(({ gateway, ca, home }) => new Subscriber(shared, gateway, ca, home, topics));
    this.#clients = [...this.#subscribers, ...this.#devices];
    this.#byId = new Map(this.#devices.map((device) => [device.identity.deviceId, device]));
    this.#everyMs = every * 1000;
  }

  /** Begins to connect `perSecond` clients a second; they stay connected from then on. */
  connect(perSecond: number): void {
    const began = performance.now();
    let started = 0;
    const startDue = () => {
      const due = 1 + Math.floor(((performance.now() - began) * perSecond) / 1000);
      while (started < Math.min(due, this.#clients.length)) this.#clients[started++]!.start();
      if (started === this.#clients.length) clearInterval(this.#connecting);
    };
    this.#connecting = setInterval(startDue, TICK_MS);
    startDue();
  }

  /** Starts or stops publishing. Each device has a phase of its own, so that messages come evenly. */
  publish(on: boolean): void {
    clearInterval(this.#publishing);
    if (!on) return;
    const began = performance.now();
    const next = this.#devices.map((_, index) => began + (this.#everyMs * index) / this.#devices.length);
    this.#publishing = setInterval(() => {
      const now = performance.now();
      for (const [index, device] of this.#devices.entries()) {
        if (next[index]! > now) continue;
        device.publish();
        next[index] = Math.max(next[index]! + this.#everyMs, now - this.#everyMs);
      }
    }, TICK_MS);
  }

  /** Breaks every connection; the clients connect again immediately. */
  storm(): void {
    for (const client of this.#clients) client.break();
  }

  /** Moves connections at other addresses to each client's first one. */
  goHome(): void {
    for (const client of this.#clients) client.goHome();
  }

  status(): LoadStatus {
    const isUp = (client: LoadClient) => client.isConnected && (!(client instanceof Subscriber) || client.isSubscribed);
    const sum = <T>(all: readonly T[], of: (each: T) => number) => all.reduce((total, each) => total + of(each), 0);
    const expected = this.#devices.filter((device) => device.endedAt === undefined);
    return {
      clients: expected.length + this.#subscribers.length,
      connected: sum([...expected, ...this.#subscribers], (client) => (isUp(client) ? 1 : 0)),
      lastConnectedAt: this.#clients.reduce((last, { lastConnectedAt }) => Math.max(last, lastConnectedAt), 0),
      inFlight: sum(expected, ({ inFlight }) => inFlight),
      lostConnections: sum(this.#clients, ({ lostConnections }) => lostConnections),
      published: sum(this.#devices, ({ published }) => published),
      received: sum(this.#subscribers, ({ received }) => received),
    };
  }

  /** Returns the figures since the last call. */
  takeFigures(): FiguresData {
    const data = this.#figures.data();
    this.#figures = new Figures();
    return data;
  }

  /** Announces that certificates are about to be revoked: their devices stay away once their sessions end. */
  expectEnd(deviceIds: readonly string[]): void {
    const own = deviceIds.filter((id) => this.#byId.has(id));
    this.#expected.push(...own);
    for (const id of own) this.#byId.get(id)!.expectEnd();
  }

  /** Returns when sessions of {@link Load.expectEnd} ended, in milliseconds since 1970. */
  ends(): [deviceId: string, at: number][] {
    return this.#expected.flatMap((id): [string, number][] => {
      const at = this.#byId.get(id)!.endedAt;
      return at === undefined ? [] : [[id, at]];
    });
  }

  deviceResults(): DeviceResult[] {
    return this.#devices.map((device) => device.result());
  }

  gatewayResults(published: readonly PublishedByDevice[]): GatewayResult[] {
    return this.#subscribers.map((subscriber) => subscriber.result(published));
  }

  stop(): void {
    clearInterval(this.#connecting);
    clearInterval(this.#publishing);
    for (const client of this.#clients) client.stop();
  }
}
