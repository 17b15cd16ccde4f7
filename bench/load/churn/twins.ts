import { sleep } from "../../measure.ts";
import type { Identity, MqttTarget } from "../mqtt-client.ts";
import { answers, connectOnce, deviceOptions } from "./clients.ts";

const PAUSE_MS = 500;
const TWINS = 4;

/** Connects several times at once under one client id, again and again: one connection at most may be left open. */
export class Twins {
  rounds = 0;
  /** Rounds in which more than one was. */
  duplicates = 0;
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
      const open = (await Promise.all(clients.map(answers))).filter(Boolean).length;
      this.rounds++;
      if (open > 1) this.duplicates++;
      for (const client of clients) client.end(true);
      await sleep(Math.random() * PAUSE_MS);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}
