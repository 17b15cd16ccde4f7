import type { Db } from "../db/database.ts";
import { fromCursor, type Place, toCursor } from "./cursor.ts";
import { cursorExpired } from "./errors.ts";
import { type EventRow, oldestOpen, readAfter } from "./event-store.ts";

/** Something that happened in a tenant. */
export interface TenantEvent {
  /** Where to go on after it. */
  cursor: string;
  at: Date;
  /** `anomaly.opened`, `ticket.changed`, `device.online`, `certificate.renewed` … (docs/spec-decisions.md, Events). */
  kind: string;
  deviceId: string | null;
  /** Ids, and the fields that a screen shows. */
  data: Record<string, unknown>;
}

export interface EventPage {
  events: TenantEvent[];
  /** Where to go on: after the last of `events`; where nothing more is settled, after all that is. */
  cursor: string;
  /** Whether there is more that is settled, or something committed that a still open transaction holds back. */
  more: "ready" | "held" | "none";
}

/** The cursor behind everything that can be read now. */
export async function cursorNow(db: Db): Promise<string> {
  return toCursor(before(await oldestOpen(db)));
}

/**
 * What happened in a tenant after `cursor`, oldest first. Who goes on from page to page sees every event exactly once,
 * however transactions overlap.
 *
 * @param boundedTo the user whose groups bound what is seen; `undefined` for all there is
 * @throws MusterError invalid_request; cursor_expired when events after the cursor have been forgotten, or the database
 *   has been put back to a time before it
 */
export async function readEvents(
  db: Db,
  tenantId: string,
  cursor: string,
  limit: number,
  boundedTo?: string,
): Promise<EventPage> {
  const read = await readAfter(db, tenantId, fromCursor(cursor), limit, boundedTo);
  if (read.forgotten) throw cursorExpired();
  const { rows } = read;
  const settled = rows.filter((row) => row.settled);
  const whole = rows.length === limit;
  // What is settled has all been read, so that the cursor of a tenant where little happens does not grow old.
  const next = whole ? (settled.at(-1) ?? fromCursor(cursor)) : before(read.oldestOpen);
  const more = settled.length < rows.length ? "held" : whole ? "ready" : "none";
  return { events: settled.map(toEvent), cursor: toCursor(next), more };
}

/** The place behind all transactions that are older than `xid`. */
function before(xid: string): Place {
  return { xid, seq: "0" };
}

function toEvent(row: EventRow): TenantEvent {
  return { cursor: toCursor(row), at: row.at, kind: row.kind, deviceId: row.device_id, data: row.data };
}
