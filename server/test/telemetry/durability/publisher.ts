import { connectMqtt } from "../../harness/devices.ts";
import type { Device } from "../../harness/processes/crash.ts";
import type { ServerProcess } from "../../harness/processes/process.ts";

/** Milliseconds between two readings, in device time. */
export const INTERVAL_MS = 100;
const BASE = Date.now() - 86_400_000;
const IN_FLIGHT = 64;

/** A device that publishes its readings 0, 1, 2 …, with many in flight, until the service ends. */
export class Publisher {
  readonly acknowledged: number[] = [];
  sent = 0;
  readonly #device: Device;
  readonly #reading: (n: number) => object;

  /** @param reading returns the values of the `n`th message besides `n` */
  constructor(device: Device, reading: (n: number) => object) {
    this.#device = device;
    this.#reading = reading;
  }

  get deviceId(): string {
    return this.#device.deviceId;
  }

  /**
   * Publishes, calls `kill` after `enough` acknowledgements and resolves when the connection has closed. Messages in
   * flight are not sent again.
   */
  async publishUntilKilled(server: ServerProcess, enough: number, kill: () => unknown): Promise<void> {
    const client = await connectMqtt(server, this.#device);
    const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
    let acknowledged = 0;
    const publish = () => {
      const n = this.sent++;
      client.publish(this.#device.topic, this.#messageOf(n), { qos: 1 }, (error) => {
        if (error) return;
        this.acknowledged.push(n);
        if (++acknowledged === enough) kill();
        if (client.connected) publish();
      });
    };
    client.on("error", () => undefined);
    for (let window = 0; window < IN_FLIGHT; window++) publish();
    await closed;
    client.end(true);
  }

  /** Publishes the next reading, and resolves with its number when it is acknowledged. */
  async publishOne(server: ServerProcess): Promise<number> {
    const client = await connectMqtt(server, this.#device);
    const n = this.sent++;
    await client.publishAsync(this.#device.topic, this.#messageOf(n), { qos: 1 });
    this.acknowledged.push(n);
    await client.endAsync();
    return n;
  }

  #messageOf(n: number): string {
    return JSON.stringify({ ts: BASE + n * INTERVAL_MS, values: { n, ...this.#reading(n) } });
  }
}
