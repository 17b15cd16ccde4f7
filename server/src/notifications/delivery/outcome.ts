import type { ClaimedRow } from "./claim-store.ts";

/** The result of an attempt. */
export type Outcome =
  | {
      sent: true;
      /** The challenge with which the receiver answered a confirmation request. */
      echoed?: string;
    }
  | {
      sent: false;
      error: string;
      /** Whether another attempt would fail as well. */
      final: boolean;
      /** Whether it may have arrived nevertheless. */
      maybeSent: boolean;
      /** Whether the address must not be used again (410). */
      gone?: boolean;
      /** The time that the receiver asked to wait (`Retry-After`), in milliseconds. */
      retryAfterMs?: number;
    };

/** Sends one message. Never throws. */
export type Send = (delivery: ClaimedRow) => Promise<Outcome>;

const MAX_ERROR_CHARS = 500;

export function failed(
  error: unknown,
  more: Partial<Omit<Extract<Outcome, { sent: false }>, "sent" | "error">> = {},
): Outcome {
  const text = error instanceof Error ? error.message : String(error);
  const shown = text.replace(/\p{Cc}+/gu, " ").toWellFormed();
  return {
    sent: false,
    error: shown.slice(0, MAX_ERROR_CHARS).toWellFormed(),
    final: false,
    maybeSent: false,
    ...more,
  };
}
