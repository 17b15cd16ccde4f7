import { type Clock, MINUTE } from "../../lib/clock.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";

/**
 * The number of windows for single addresses; further addresses in the same minute share a window, first by tenant and
 * reason, then by reason.
 */
const MAX_ADDRESSES = DEFAULT_LIMITS.refusalAddresses;
const MAX_WINDOWS = 2 * MAX_ADDRESSES;

/** The key by which refusals are counted together. */
export interface RefusalSource {
  reason: string;
  tenantId: string | null;
  /** The address block, or the client id if no address is known. */
  origin: string;
}

interface Window {
  beganAt: number;
  entries: number;
  lastEntry: string;
}

/**
 * Decides which refusals get their own journal entry: the first few per source and window, by default a minute. Its
 * memory is limited, however many addresses refusals come from.
 */
export class RefusalWindows {
  readonly #entriesPerWindow: number;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #windowMs: number;
  /** The windows by source, oldest first. */
  readonly #windows = new Map<string, Window>();

  constructor(entriesPerWindow: number, clock: Pick<Clock, "monotonicMs">, windowMs = MINUTE) {
    this.#entriesPerWindow = entriesPerWindow;
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /** @returns the entry on which to count this refusal; undefined if it gets the entry `newId` */
  entryFor(source: RefusalSource, newId: string): string | undefined {
    const now = this.#clock.monotonicMs();
    this.#deleteEnded(now);
    const key = this.#keyOf(source);
    const window = this.#windows.get(key);
    if (window === undefined) {
      this.#windows.set(key, { beganAt: now, entries: 1, lastEntry: newId });
      return undefined;
    }
    if (window.entries >= this.#entriesPerWindow) return window.lastEntry;
    window.entries++;
    window.lastEntry = newId;
    return undefined;
  }

  #keyOf({ reason, tenantId, origin }: RefusalSource): string {
    const shared = `${reason} ${tenantId}`;
    const own = `${shared} ${origin}`;
    if (this.#windows.has(own) || this.#windows.size < MAX_ADDRESSES) return own;
    return this.#windows.has(shared) || this.#windows.size < MAX_WINDOWS ? shared : reason;
  }

  #deleteEnded(now: number): void {
    for (const [key, { beganAt }] of this.#windows) {
      if (now - beganAt < this.#windowMs) return;
      this.#windows.delete(key);
    }
  }
}
