import type { Device } from "../harness/crash.ts";
import { connectMqtt } from "../harness/devices.ts";
import type { ServerProcess } from "../harness/process.ts";

/** Readings are that far apart, in the device's own time. */
export const APART_MS = 100;
const BASE = Date.now() - 86_400_000;
const IN_FLIGHT = 64;

/** A device that publishes its readings 0, 1, 2 …, many in flight, for as long as there is a service. */
export class Publisher {
  readonly acknowledged: number[] = [];
  sent = 0;
  readonly #device: Device;
  readonly #reading: (n: number) => object;

  /** @param reading what the `n`th says, beside `n` */
  constructor(device: Device, reading: (n: number) => object) {
    this.#device = device;
    this.#reading = reading;
  }

  get deviceId(): string {
    return this.#device.deviceId;
  }

  /**
   * Resolves when the service is gone, which `kill` sees to after `enough` acknowledgements. What was on its way then is not
   * sent again.
   */
  async publishUntilKilled(server: ServerProcess, enough: number, kill: () => unknown): Promise<void> {
    const client = await connectMqtt(server, this.#device);
    const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
    let acknowledged = 0;
    const publish = () => {
      const n = this.sent++;
      const message = { ts: BASE + n * APART_MS, values: { n, ...this.#reading(n) } };
      client.publish(this.#device.topic, JSON.stringify(message), { qos: 1 }, (error) => {
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
}
