import type { Clock } from "../../lib/clock.ts";
import type { GatedBlock, UnderWay } from "./gated-connection.ts";

/** The longest that a request may wait for its body while other requests wait for its place. */
const BODY_MS = 1_000;
const CHECK_MS = 250;

export interface SlowBodiesOptions {
  clock: Pick<Clock, "monotonicMs">;
  /** Returns whether requests wait, in a process or an address block that can begin no other. */
  isFull(block?: GatedBlock): boolean;
  isAuthenticated(underWay: UnderWay): boolean;
  /** Ends a request whose body has not arrived. */
  timeOut(underWay: UnderWay): void;
}

/**
 * Frees the places of requests whose bodies do not arrive. Otherwise a few clients that send heads only would take all
 * places for as long as a request may last.
 */
export class SlowBodies {
  readonly #options: SlowBodiesOptions;
  /** Oldest first. */
  readonly #inProgress = new Set<UnderWay>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlowBodiesOptions) {
    this.#options = options;
  }

  begun(underWay: UnderWay): void {
    this.#inProgress.add(underWay);
  }

  ended(underWay: UnderWay): void {
    this.#inProgress.delete(underWay);
  }

  /** Looks for late bodies soon, because requests wait. */
  plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#check();
    }, CHECK_MS).unref();
  }

  /** Times out late requests where others wait: those without credentials, or the others if there are none. */
  #check(): void {
    const { clock, isFull, isAuthenticated, timeOut } = this.#options;
    const before = clock.monotonicMs() - BODY_MS;
    const everywhere = isFull();
    const awaited = [...this.#inProgress].filter(({ connection }) => everywhere || isFull(connection.block));
    // Nothing else may happen until the next of them is late.
    if (awaited.length > 0) this.plan();
    const late = awaited.filter(({ request, since }) => !request.complete && since <= before);
    const unknown = late.filter((each) => !isAuthenticated(each));
    for (const each of unknown.length > 0 ? unknown : late) timeOut(each);
  }
}
