import { MusterError } from "../lib/errors.ts";

/** Events between the cursor and the oldest one kept have been forgotten: load what is shown anew and go on from now. */
export function cursorExpired(): MusterError<"cursor_expired"> {
  return new MusterError("cursor_expired", "events after this cursor have been forgotten");
}
