import type { Db } from "../db/database.ts";
import { fromCursor, type Place, toCursor } from "./cursor.ts";
import { describeChange, type EventContent } from "./describe-change.ts";
import { cursorExpired } from "./errors.ts";
import { type EventRow, oldestOpen, readAfter } from "./event-store.ts";

/** Something that happened in a tenant. */
export type TenantEvent = EventContent & {
  /** Where to continue after it. */
  cursor: string;
  at: Date;
  deviceId: string | null;
};

export interface EventPage {
  events: TenantEvent[];
  /** Where to continue: after the last of `events`, or after everything that is settled when nothing more is. */
  cursor: string;
  /** Whether more is settled (`ready`), or committed but delayed by a transaction that is still open. */
  more: "ready" | "delayed" | "none";
}

/** The cursor after everything that can be read now. */
export async function cursorNow(db: Db): Promise<string> {
  return toCursor(before(await oldestOpen(db)));
}

/**
 * What happened in a tenant after `cursor`, oldest first. A reader that continues from page to page reads every event exactly once,
 * however transactions overlap.
 *
 * @param viewer the user whose groups bound what is visible; `undefined`: every event is
 * @throws MusterError invalid_request; cursor_expired when events after the cursor have been deleted, or the database was
 *   restored to a time before it
 */
export async function readEvents(
  db: Db,
  tenantId: string,
  cursor: string,
  limit: number,
  viewer?: string,
): Promise<EventPage> {
  const { rows, expired, oldestOpen } = await readAfter(db, tenantId, fromCursor(cursor), limit, viewer);
  if (expired) throw cursorExpired();
  const settled = rows.filter((row) => row.settled);
  const full = rows.length === limit;
  // A page that is not full has read everything settled, so that the cursor of a quiet tenant does not expire.
  const next = full ? (settled.at(-1) ?? fromCursor(cursor)) : before(oldestOpen);
  const more = settled.length < rows.length ? "delayed" : full ? "ready" : "none";
  return { events: settled.map(toEvent), cursor: toCursor(next), more };
}

/** The place after all transactions that are older than `xid`. */
function before(xid: string): Place {
  return { xid, seq: "0" };
}

function toEvent(row: EventRow): TenantEvent {
  return { cursor: toCursor(row), at: row.at, deviceId: row.device_id, ...describeChange(row) };
}
