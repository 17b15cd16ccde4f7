import type { MqttClient } from "mqtt";
import { sleep } from "../../measure.ts";
import type { Identity, MqttTarget } from "../mqtt-client.ts";
import { answers, connectOnce, deviceOptions } from "./clients.ts";

const PAUSE_MS = 500;
const TWINS = 4;
/** The worker that had a session ends it as soon as the database has notified it. */
const GRACE_MS = 1_000;

/** Connects several times at once under one client id, again and again: one connection at most may be left open. */
export class Twins {
  rounds = 0;
  /** Rounds in which more than one was after a second. */
  duplicates = 0;
  /** How long more than one was open, at most. */
  longestMs = 0;
  readonly #target: MqttTarget;
  readonly #identity: Identity;
  #isStopped = false;

  constructor(target: MqttTarget, identity: Identity) {
    this.#target = target;
    this.#identity = identity;
  }

  /** Connects until {@link stop}. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const connecting = Array.from({ length: TWINS }, () => connectOnce(this.#target, deviceOptions(this.#identity)));
      const clients = (await Promise.all(connecting)).filter((client) => client !== undefined);
      await this.#untilOne(clients);
      this.rounds++;
      for (const client of clients) client.end(true);
      await sleep(Math.random() * PAUSE_MS);
    }
  }

  async #untilOne(clients: readonly MqttClient[]): Promise<void> {
    const began = performance.now();
    for (;;) {
      const open = (await Promise.all(clients.map(answers))).filter(Boolean).length;
      if (open <= 1) return;
      const ms = performance.now() - began;
      this.longestMs = Math.max(this.longestMs, ms);
      if (ms < GRACE_MS) continue;
      this.duplicates++;
      return;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}
