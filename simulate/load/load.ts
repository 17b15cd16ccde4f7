import { Figures, type FiguresData } from "../figures/figures.ts";
import { Admission } from "./admission.ts";
import type { LoadClient, Shared } from "./client.ts";
import { SimulatedDevice } from "./device.ts";
import type { LoadPlan, LoadRequests, LoadStatus } from "./protocol.ts";
import { Subscriber } from "./subscriber.ts";

const TICK_MS = 10;
/** More handshakes at a time in one process would wait for its core until the broker's time limit is over. */
const HANDSHAKES = 200;

/** The clients of one load process. */
export class Load implements LoadRequests {
  readonly #devices: SimulatedDevice[];
  readonly #subscribers: Subscriber[];
  readonly #clients: LoadClient[];
  readonly #byId: Map<string, SimulatedDevice>;
  readonly #everyMs: number;
  #figures = new Figures();
  #expected: string[] = [];
  #connecting: NodeJS.Timeout | undefined;
  #publishing: NodeJS.Timeout | undefined;

  constructor({ addresses, devices, gateways, topics, every, metrics, hasOwnTimes, receivesCommands }: LoadPlan) {
    const shared: Shared = { addresses, admission: new Admission(HANDSHAKES), figures: () => this.#figures };
    this.#devices = devices.map(
      ({ identity, qos, home }) =>
        new SimulatedDevice(shared, identity, { qos, home, metrics, hasOwnTimes, receivesCommands }),
    );
    this.#subscribers = gateways.map(({ gateway, ca, home }) => new Subscriber(shared, gateway, ca, home, topics));
    this.#clients = [...this.#subscribers, ...this.#devices];
    this.#byId = new Map(this.#devices.map((device) => [device.identity.deviceId, device]));
    this.#everyMs = every * 1000;
  }

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

  /** Each device has a phase of its own, so that messages come evenly. */
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

  storm(): void {
    for (const client of this.#clients) client.break();
  }

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

  takeFigures(): FiguresData {
    const data = this.#figures.data();
    this.#figures = new Figures();
    return data;
  }

  expectEnd(deviceIds: readonly string[]): void {
    const own = deviceIds.filter((id) => this.#byId.has(id));
    this.#expected.push(...own);
    for (const id of own) this.#byId.get(id)!.expectEnd();
  }

  ends(): [string, number][] {
    return this.#expected.flatMap((id): [string, number][] => {
      const at = this.#byId.get(id)!.endedAt;
      return at === undefined ? [] : [[id, at]];
    });
  }

  deviceResults(): ReturnType<LoadRequests["deviceResults"]> {
    return this.#devices.map((device) => device.result());
  }

  gatewayResults(published: Parameters<LoadRequests["gatewayResults"]>[0]): ReturnType<LoadRequests["gatewayResults"]> {
    return this.#subscribers.map((subscriber) => subscriber.result(published));
  }

  stop(): void {
    clearInterval(this.#connecting);
    clearInterval(this.#publishing);
    for (const client of this.#clients) client.stop();
  }
}
