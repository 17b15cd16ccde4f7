import { MusterError } from "../lib/errors.ts";

export type EventsErrorCode = "cursor_expired";

/**
 * Events between the cursor and the oldest stored one have been deleted: the client must reload its data and start at
 * the present.
 */
export function cursorExpired(): MusterError<"cursor_expired"> {
  return new MusterError("cursor_expired", "events after this cursor have been deleted");
}
