import type { Db } from "../db/database.ts";
import { fromCursor, type Place, toCursor } from "./cursor.ts";
import { describeChange, type EventContent } from "./describe-change.ts";
import { cursorExpired } from "./errors.ts";
import { type EventRow, newestDeletedTransaction, oldestOpen, readAfter } from "./event-store.ts";

/** An event in a tenant. */
export type TenantEvent = EventContent & {
  /** The cursor with which to continue after it. */
  cursor: string;
  at: Date;
  deviceId: string | null;
};

export interface EventPage {
  events: TenantEvent[];
  /** The cursor with which to continue: after the last of `events`, or after all stable events if no more are. */
  cursor: string;
  /** Whether more events are stable (`ready`), or committed but delayed by a transaction that is still open. */
  more: "ready" | "delayed" | "none";
}

/** Returns the cursor after all readable events. */
export async function cursorNow(db: Db): Promise<string> {
  return toCursor(before(await oldestOpen(db)));
}

/** Returns the cursor before all stored events. */
export async function cursorAtBeginning(db: Db): Promise<string> {
  return toCursor(before(await newestDeletedTransaction(db)));
}

/**
 * Returns the events of a tenant after `cursor`, oldest first. A reader that continues from page to page reads every
 * event exactly once, however transactions overlap.
 *
 * @param viewer the user whose groups limit the visible events; `undefined`: all are visible
 * @throws {MusterError} invalid_request; cursor_expired if events after the cursor have been deleted, or the database
 * was restored to a time before it
 */
export async function readEvents(
  db: Db,
  tenantId: string,
  cursor: string,
  limit: number,
  viewer?: string,
): Promise<EventPage> {
  const from = fromCursor(cursor);
  const { rows, expired, oldestOpen, passedTo } = await readAfter(db, tenantId, from, limit, viewer);
  if (expired) throw cursorExpired();
  const stable = rows.filter((row) => row.stable);
  const full = rows.length === limit;
  // The search for what the viewer sees may end before it has found a page.
  const cut = !full && passedTo?.stable ? passedTo : undefined;
  // A page that is not full has read all stable events. Advancing past them keeps a quiet tenant's cursor from
  // expiring.
  const next = full ? (stable.at(-1) ?? from) : (cut ?? before(oldestOpen));
  const more = stable.length < rows.length ? "delayed" : full || cut ? "ready" : "none";
  return { events: stable.map(toEvent), cursor: toCursor(next), more };
}

/** Returns the position after all transactions older than `xid`. */
function before(xid: string): Place {
  return { xid, seq: "0" };
}

function toEvent(row: EventRow): TenantEvent {
  return { cursor: toCursor(row), at: row.at, deviceId: row.device_id, ...describeChange(row) };
}
