import { MINUTE } from "../../lib/clock.ts";

/**
 * The window in which one address gets a limited number of mails from a tenant. Further mails are combined into a
 * digest.
 */
export const WINDOW_MS = MINUTE;

/**
 * The next mail to an address: one that may have been sent before, the oldest other one, all others as a digest, or
 * none yet.
 */
export type NextMail = "again" | "one" | "digest" | "none";

/**
 * Decides what to send to one address next, so that it never gets more than `most` mails in a window.
 *
 * @param sent the number of mails in the window that ends now
 * @param fresh the number of waiting mails that were certainly never sent
 * @param again the number of waiting mails that may have been sent; they are repeated under the same id and so are
 *   never part of a digest
 */
export function nextMail({
  most,
  sent,
  fresh,
  again,
}: {
  most: number;
  sent: number;
  fresh: number;
  again: number;
}): NextMail {
  const room = Math.max(most - sent, 0);
  if (room === 0 || fresh + again === 0) return "none";
  if (again > 0 && (fresh === 0 || room > 1)) return "again";
  return fresh === 1 || fresh + again <= room ? "one" : "digest";
}
