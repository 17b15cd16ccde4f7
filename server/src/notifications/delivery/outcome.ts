import type { ClaimedRow } from "./delivery-store.ts";

/** What became of an attempt. */
export type Outcome =
  | { sent: true }
  | {
      sent: false;
      error: string;
      /** Trying again will not help. */
      final: boolean;
      /** It may have arrived all the same. */
      maybeSent: boolean;
      /** The address wants nothing more, ever (410). */
      gone?: boolean;
    };

/** Sends one message; never throws. */
export type Send = (delivery: ClaimedRow) => Promise<Outcome>;

const MOST_OF_ERROR = 500;

export function failed(error: unknown, more: { final?: boolean; maybeSent?: boolean; gone?: boolean } = {}): Outcome {
  const text = error instanceof Error ? error.message : String(error);
  const shown = text.replace(/\p{Cc}+/gu, " ").toWellFormed();
  return { sent: false, error: shown.slice(0, MOST_OF_ERROR).toWellFormed(), final: false, maybeSent: false, ...more };
}
