import { MINUTE } from "../../lib/clock.ts";

/** The most mails that one address gets within {@link WINDOW_MS}; what is beyond is combined into a digest. */
export const MAILS_PER_WINDOW = 20;
export const WINDOW_MS = MINUTE;

export interface MailPlan {
  /** How many of those that may have been sent before are repeated, each as itself. */
  again: number;
  /** What happens to the others: each is sent, all become one digest, or they wait until the window has room. */
  fresh: "each" | "digest" | "wait";
}

/**
 * What to send to one address now, so that it never gets more than {@link MAILS_PER_WINDOW} mails in a window.
 *
 * @param sent in the window that ends now
 * @param fresh waiting, certainly never sent
 * @param again waiting, and perhaps sent before: repeated under the same id, so never part of a digest
 */
export function planMails({ sent, fresh, again }: { sent: number; fresh: number; again: number }): MailPlan {
  const room = Math.max(MAILS_PER_WINDOW - sent, 0);
  if (fresh + again <= room) return { again, fresh: "each" };
  if (room === 0 || fresh === 0) return { again: Math.min(again, room), fresh: "wait" };
  return { again: Math.min(again, room - 1), fresh: fresh === 1 ? "each" : "digest" };
}
