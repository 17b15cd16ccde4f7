import { MusterError } from "../lib/errors.ts";
import type { ToWorker } from "./messages.ts";

type Restarted = Extract<ToWorker, { type: "restarted" }>;

/** Rolling restarts that a command has asked for. */
export class Restarts {
  readonly #send: () => void;
  #waiting: ((answer: Restarted) => void)[] = [];

  /** @param send asks the supervisor */
  constructor(send: () => void) {
    this.#send = send;
  }

  async ask(): Promise<{ restarted: number }> {
    const { promise, resolve } = Promise.withResolvers<Restarted>();
    this.#waiting.push(resolve);
    this.#send();
    const { restarted, problem } = await promise;
    if (problem !== undefined) throw new MusterError("restart_failed", problem);
    return { restarted };
  }

  /** The supervisor answers in the order of the questions. */
  answered(answer: Restarted): void {
    this.#waiting.shift()?.(answer);
  }
}
