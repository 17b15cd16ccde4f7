import { sleep } from "../load/measure.ts";
import { type DeviceResult, nowMs } from "./clients/protocol.ts";
import type { Figures } from "./figures/figures.ts";
import type { Target } from "./target/target.ts";

/** Sends commands to the devices in turn, at a steady rate. */
export class CommandSender {
  readonly #target: Target;
  readonly #intervalMs: number;
  readonly #figures: () => Figures;
  /** Device id → the numbers of its commands. */
  readonly #sent = new Map<string, number[]>();
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  /** @param figures count refused commands */
  constructor(target: Target, perSecond: number, figures: () => Figures) {
    this.#target = target;
    this.#intervalMs = 1000 / perSecond;
    this.#figures = figures;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Compares with the commands that devices have received; revoked devices receive nothing more. */
  compare(results: readonly DeviceResult[]): { sent: number; lost: number } {
    let [sent, lost] = [0, 0];
    for (const { deviceId, commands, isRevoked } of results) {
      const numbers = this.#sent.get(deviceId) ?? [];
      const received = new Set(commands);
      sent += numbers.length;
      if (!isRevoked) lost += numbers.filter((number) => !received.has(number)).length;
    }
    return { sent, lost };
  }

  async #run(): Promise<void> {
    const began = performance.now();
    const { shell } = this.#target.own!.cluster;
    const devices = this.#target.devices.filter(({ commandTopic }) => commandTopic !== undefined);
    for (let number = 0; !this.#isStopped && devices.length > 0; number++) {
      await sleep(Math.max(0, began + number * this.#intervalMs - performance.now()));
      const { deviceId, commandTopic: topic } = devices[number % devices.length]!;
      const payload = JSON.stringify({ number, sentAt: nowMs() });
      try {
        const tenant = topic!.split("/")[1];
        await shell("device.send", { tenant, id: deviceId, topic, payload });
        this.#sent.set(deviceId, [...(this.#sent.get(deviceId) ?? []), number]);
      } catch (error) {
        this.#figures().error(`command: ${(error as Error).message}`);
      }
    }
  }
}
