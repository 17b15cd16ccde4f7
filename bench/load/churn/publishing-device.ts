import type { MqttClient } from "mqtt";
import { sleep } from "../../measure.ts";
import { setting } from "../../run.ts";
import type { Identity, MqttTarget } from "../mqtt-client.ts";
import { connectAgain, deviceOptions } from "./clients.ts";

/** At most, between two messages of a device. */
const PAUSE_MS = setting("pause", 150);
const RETRY_MS = 50;
/** How many messages a device publishes before it leaves, at most. */
const VISIT = 20;

/** A message that a device has an acknowledgement of. */
export interface Acknowledged {
  number: number;
  /** When the first attempt began and when the acknowledgement came, by `performance.now()`. */
  beganMs: number;
  endedMs: number;
}

/** Publishes 0, 1, 2 … at QoS 1 and 2 in turns, each until it is acknowledged, and leaves now and then, with or without a DISCONNECT. */
export class PublishingDevice {
  readonly identity: Identity;
  readonly acknowledged: Acknowledged[] = [];
  connects = 0;
  readonly #target: MqttTarget;
  /** The time of message 0 in its payload; each has one of its own, so that one that is sent twice takes the place of itself. */
  readonly #baseMs = Date.now() - 3_600_000;
  #isStopped = false;

  constructor(target: MqttTarget, identity: Identity) {
    this.#target = target;
    this.identity = identity;
  }

  /** Publishes until {@link stop}. */
  async run(): Promise<void> {
    let client: MqttClient | undefined;
    let left = 0;
    for (let number = 0; !this.#isStopped; number++) {
      const beganMs = performance.now();
      for (;;) {
        if (!client?.connected) client = await this.#connect();
        if (await this.#publish(client, number)) break;
        await sleep(RETRY_MS);
      }
      this.acknowledged.push({ number, beganMs, endedMs: performance.now() });
      await sleep(Math.random() * PAUSE_MS);
      if (--left > 0) continue;
      left = Math.ceil(Math.random() * VISIT);
      client.end(number % 3 === 0);
      client = undefined;
    }
    client?.end(true);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #connect(): Promise<MqttClient> {
    this.connects++;
    const protocolVersion = this.connects % 2 === 0 ? 4 : 5;
    return await connectAgain(this.#target, { ...deviceOptions(this.identity), protocolVersion });
  }

  /** @returns false where the connection ended before the acknowledgement */
  #publish(client: MqttClient, number: number): Promise<boolean> {
    const message = JSON.stringify({ ts: this.#baseMs + number, values: { n: number } });
    return new Promise((resolve) => {
      const onClose = () => resolve(false);
      client.once("close", onClose);
      if (!client.connected) return resolve(false);
      client.publish(this.identity.topic, message, { qos: number % 2 === 0 ? 1 : 2 }, (error) => {
        client.off("close", onClose);
        resolve(!error);
      });
    });
  }
}
