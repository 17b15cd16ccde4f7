import { setTimeout } from "node:timers/promises";
import type { MqttClient } from "mqtt";
import { connectMqtt } from "../harness/devices.ts";
import type { CrashFixture, Device } from "../harness/processes/crash.ts";

const BASE = Date.now() - 3_600_000;
const RETRY_MS = 50;
const ATTEMPTS = 1_200;

/**
 * A device that publishes 0, 1, 2 …, repeats each until it is acknowledged, and reconnects whenever its connection
 * ends.
 */
export class ResendingDevice {
  readonly acknowledged: number[] = [];
  /** The number of its connections so far. */
  connects = 0;
  readonly device: Device;
  readonly #service: CrashFixture;
  #isStopped = false;
  #client: MqttClient | undefined;

  constructor(service: CrashFixture, device: Device) {
    this.#service = service;
    this.device = device;
  }

  /** Publishes until {@link stop}. */
  async run(): Promise<void> {
    for (let n = 0; !this.#isStopped; n++) {
      // A closing client refuses immediately: without a pause its end would never be seen.
      while (!(await published(await this.#connected(), this.device.topic, n))) await setTimeout(RETRY_MS);
      this.acknowledged.push(n);
    }
    await this.#client?.endAsync();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #connected(): Promise<MqttClient> {
    for (let attempt = 1; !this.#client?.connected; attempt++) {
      try {
        this.#client = await connectMqtt(this.#service.server, this.device);
        this.connects++;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        await setTimeout(RETRY_MS);
      }
    }
    return this.#client;
  }
}

/**
 * Publishes once.
 * @returns false if the connection ended before the acknowledgement
 */
function published(client: MqttClient, topic: string, n: number): Promise<boolean> {
  const message = JSON.stringify({ ts: BASE + n * 10, values: { n } });
  return new Promise((resolve) => {
    const onClose = () => resolve(false);
    client.once("close", onClose);
    if (!client.connected) return resolve(false);
    client.publish(topic, message, { qos: 1 }, (error) => {
      client.off("close", onClose);
      resolve(!error);
    });
  });
}
