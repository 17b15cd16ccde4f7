import mqtt, { type MqttClient } from "mqtt";
import { sleep } from "../../measure.ts";
import type { MqttTarget } from "../mqtt-client.ts";
import { connectAgain } from "./clients.ts";

/** How long a visitor stays and is away, at most. */
const STAY_MS = 3_000;
const AWAY_MS = 1_000;

/** A client with a stored session that subscribes to devices, and comes and goes. */
export class Visitor {
  /** Topic → the numbers that arrived, in their order. */
  readonly received = new Map<string, number[]>();
  visits = 0;
  readonly #target: MqttTarget;
  readonly #topics: string[];
  readonly #options: mqtt.IClientOptions;
  #isStopped = false;

  constructor(target: MqttTarget, clientId: string, password: string, topics: string[]) {
    this.#target = target;
    this.#topics = topics;
    // A QoS 2 message that it has begun to receive on one connection ends on the next.
    const incomingStore = new mqtt.Store({ clean: false });
    this.#options = { clientId, username: clientId, password, clean: false, incomingStore };
  }

  async subscribe(): Promise<void> {
    const client = await this.connect();
    await client.subscribeAsync(this.#topics, { qos: 2 });
    client.end();
  }

  /** Comes and goes until {@link stop}. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const client = await this.connect();
      await sleep(Math.random() * STAY_MS);
      client.end(this.visits % 3 === 0);
      await sleep(Math.random() * AWAY_MS);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async connect(): Promise<MqttClient> {
    this.visits++;
    return await connectAgain(this.#target, this.#options, (client) =>
      client.on("message", (topic, payload) => this.#take(topic, Number(JSON.parse(`${payload}`).values.n))),
    );
  }

  #take(topic: string, number: number): void {
    const numbers = this.received.get(topic);
    if (numbers) numbers.push(number);
    else this.received.set(topic, [number]);
  }
}
