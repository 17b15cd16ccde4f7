import { MINUTE } from "../../lib/clock.ts";

/** More mails than this within {@link WINDOW_MS} reach nobody's mind: what is beyond comes as one. */
export const MOST_IN_WINDOW = 20;
export const WINDOW_MS = MINUTE;

export interface MailPlan {
  /** How many of those that may have been sent before are sent again, each as itself. */
  again: number;
  /** What becomes of the others: each sent, all in one digest, or kept until the window has room. */
  fresh: "each" | "digest" | "wait";
}

/**
 * What to send to one address now, so that it never gets more than {@link MOST_IN_WINDOW} mails in a window.
 *
 * @param sent in the window that ends now
 * @param fresh waiting, certainly never sent
 * @param again waiting, and perhaps sent before: to be repeated under the same id, so never in a digest
 */
export function planMails({ sent, fresh, again }: { sent: number; fresh: number; again: number }): MailPlan {
  const room = Math.max(MOST_IN_WINDOW - sent, 0);
  if (fresh + again <= room) return { again, fresh: "each" };
  if (room === 0 || fresh === 0) return { again: Math.min(again, room), fresh: "wait" };
  return { again: Math.min(again, room - 1), fresh: fresh === 1 ? "each" : "digest" };
}
