import { MINUTE } from "../../lib/clock.ts";

/** The time in which one address gets at most so many mails of a tenant; what is beyond is combined into a digest. */
export const WINDOW_MS = MINUTE;

/** What is sent to an address next: a mail that may have been sent before, the oldest other one, all others as a digest, or nothing yet. */
export type NextMail = "again" | "one" | "digest" | "none";

/**
 * What to send to one address next, so that it never gets more than `most` mails in a window.
 *
 * @param sent in the window that ends now
 * @param fresh waiting, certainly never sent
 * @param again waiting, and perhaps sent before: repeated under the same id, so never part of a digest
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
