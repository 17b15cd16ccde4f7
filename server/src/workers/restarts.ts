import { MusterError } from "../lib/errors.ts";
import type { ToWorker } from "./messages.ts";

type Restarted = Extract<ToWorker, { type: "restarted" }>;

/** The rolling restarts that commands have asked for. */
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

  /** Resolves the oldest request: the supervisor answers in the order of the requests. */
  answered(answer: Restarted): void {
    this.#waiting.shift()?.(answer);
  }
}
