import type { Db } from "../db/database.ts";
import { fromCursor, type Place, toCursor } from "./cursor.ts";
import { cursorExpired } from "./errors.ts";
import { type EventRow, eventsAfter, isForgotten, oldestOpen } from "./event-store.ts";

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
  /** Where to go on: after the last of `events`, or where this page began. */
  cursor: string;
  /** Whether there is more that is settled, or something committed that a still open transaction holds back. */
  more: "ready" | "held" | "none";
}

/** The cursor behind everything that can be read now. */
export async function cursorNow(db: Db): Promise<string> {
  return toCursor({ xid: await oldestOpen(db), seq: "0" });
}

/**
 * What happened in a tenant after `cursor`, oldest first. Who goes on from page to page sees every event exactly once,
 * however transactions overlap.
 *
 * @throws MusterError invalid_request; cursor_expired when events after the cursor have been forgotten
 */
export async function readEvents(db: Db, tenantId: string, cursor: string, limit: number): Promise<EventPage> {
  const after = fromCursor(cursor);
  const rows = await eventsAfter(db, tenantId, after, limit);
  // After the reading: what was forgotten before it is then noticed, however the two meet.
  if (await isForgotten(db, after.xid)) throw cursorExpired();
  const settled = rows.filter((row) => row.settled);
  const last: Place = settled.at(-1) ?? after;
  const more = settled.length < rows.length ? "held" : rows.length === limit ? "ready" : "none";
  return { events: settled.map(toEvent), cursor: toCursor(last), more };
}

function toEvent(row: EventRow): TenantEvent {
  return { cursor: toCursor(row), at: row.at, kind: row.kind, deviceId: row.device_id, data: row.data };
}
