import { type RawBuilder, type Selectable, sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import type { Pruned } from "../db/prune.ts";
import type { Schema } from "../db/schema.generated.ts";
import { type NoParameters, runStatement, statement } from "../db/statement.ts";

/** The columns of a row as recorded by `to_jsonb`. */
export type Columns<
  Table extends keyof Schema,
  Names extends keyof Selectable<Schema[Table]> = keyof Selectable<Schema[Table]>,
> = { readonly [Name in Names]: InJson<Selectable<Schema[Table]>[Name]> };
type InJson<Value> = Value extends Date ? string : Value;

/** A change as recorded by a trigger: the table, and the columns of the row after the change. */
export type RecordedChange =
  | { table: "anomalies"; row: Columns<"anomalies"> }
  | { table: "tickets"; operation: Operation; row: TicketColumns }
  | { table: "devices"; row: Columns<"devices", "connectivity" | "connectivity_reason"> }
  | { table: "certificate_audit"; row: Columns<"certificate_audit"> }
  | { table: "device_findings"; row: Columns<"device_findings"> }
  | { table: "connection_refusals"; row: SupersededTry };

/** The columns of a ticket without the long texts. */
export type TicketColumns = Omit<Columns<"tickets">, "description" | "resolution">;

/** `EDIT`: a change of a ticket other than its status. */
export type Operation = "INSERT" | "UPDATE" | "EDIT";

/** A refused connection with a certificate that a renewal had replaced. */
export interface SupersededTry {
  certificate_id: string;
  serial_number: string;
  remote_address: string | null;
}

/** The columns of `events` that make up a {@link RecordedChange}. */
const CHANGE = sql`e.changed_table AS "table", e.operation, e.changed_row AS "row"`;

/** A stored event. */
export type EventRow = RecordedChange & {
  seq: string;
  xid: string;
  at: Date;
  device_id: string | null;
  /** Whether every transaction as old as the event's has ended, so that no event can appear before it. */
  stable: boolean;
};

/** The result of one read, in a single statement and therefore from one snapshot. */
export interface EventsRead {
  rows: EventRow[];
  /** The oldest open transaction: every later commit belongs to it or to a younger one. */
  oldestOpen: string;
  /** Whether an event after the position has been deleted, or this database has never reached the position. */
  expired: boolean;
  /** The position at which the search for visible events ended because it reached its limit; otherwise null. */
  passedTo: { xid: string; seq: string; stable: boolean } | null;
}

/** The maximum number of events of a tenant among which one read searches those that a user may see. */
const MOST_PASSED = 5_000;

/**
 * The parameters of {@link eventsAfter}. `viewer`: the user whose groups limit the visible events; `null`: all are
 * visible.
 */
interface After {
  tenantId: string;
  xid: string;
  seq: string;
  limit: number;
  viewer: string | null;
  /** The maximum number of events read, visible or not. */
  most: number;
}

const eventsAfter = statement<After, Omit<EventsRead, "rows"> & EventRow>(
  "events-after",
  (p) => sql`
    WITH now AS (
      SELECT pg_snapshot_xmin(pg_current_snapshot()) AS open,
             ${p.xid}::text::xid8 > pg_snapshot_xmax(pg_current_snapshot())
             OR EXISTS (SELECT FROM events_horizon h WHERE h.xid > ${p.xid}::text::xid8) AS expired
    ), passed AS (
      SELECT e.* FROM events e
       WHERE e.tenant_id = ${p.tenantId}::uuid AND (e.xid, e.seq) > (${p.xid}::text::xid8, ${p.seq}::bigint)
       ORDER BY e.xid, e.seq LIMIT ${p.most}::bigint
    ), last AS (
      SELECT jsonb_build_object('xid', e.xid::text, 'seq', e.seq::text, 'stable', e.xid < now.open) AS place
        FROM passed e, now ORDER BY e.xid DESC, e.seq DESC LIMIT 1
    )
    SELECT now.open::text AS "oldestOpen", now.expired, e.*,
           CASE WHEN (SELECT count(*) FROM passed) = ${p.most}::bigint THEN (SELECT place FROM last) END AS "passedTo"
      FROM now
      LEFT JOIN LATERAL (
        SELECT e.seq, e.xid, e.at, e.device_id, e.xid < now.open AS stable, ${CHANGE}
          FROM passed e
         WHERE (${visibleDevice(p.viewer, "e.device_uid")} OR ${visibleTicketChange(p.viewer)})
         ORDER BY e.xid, e.seq LIMIT ${p.limit}::bigint) e ON true
     ORDER BY e.xid, e.seq`,
);

/**
 * SQL: the viewer sees the ticket's change, because the ticket is the viewer's or belongs to one of the viewer's
 * groups, as in the list of tickets (tickets/visibility-store.ts).
 */
function visibleTicketChange(viewer: RawBuilder<string | null>): RawBuilder<unknown> {
  return sql`(e.changed_table = 'tickets' AND (
      e.changed_row->>'assignee_user_id' = ${viewer}::uuid::text OR e.changed_row->>'created_by' = 'user:' || ${viewer}::uuid::text
      OR EXISTS (SELECT FROM shared_group_members m
                  WHERE m.group_id = (e.changed_row->>'group_id')::uuid AND m.user_id = ${viewer}::uuid)))`;
}

/**
 * Returns the events committed after a position, in order; those that are not `stable` come last.
 *
 * @param viewer the user whose groups limit the visible events; `undefined`: all are visible
 */
export async function readAfter(
  db: Db,
  tenantId: string,
  after: { xid: string; seq: string },
  limit: number,
  viewer?: string,
): Promise<EventsRead> {
  const most = viewer === undefined ? limit : MOST_PASSED;
  const rows = await runStatement(db, eventsAfter, { tenantId, ...after, limit, viewer: viewer ?? null, most });
  const { oldestOpen, expired, passedTo } = rows[0]!;
  return { rows: rows.filter((row) => row.seq !== null), oldestOpen, expired, passedTo };
}

const oldestOpenTransaction = statement<NoParameters, { xid: string }>(
  "events-oldest-open",
  () => sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid`,
);

/** Returns the oldest open transaction: every later commit belongs to it or to a younger one. */
export async function oldestOpen(db: Db): Promise<string> {
  const [row] = await runStatement(db, oldestOpenTransaction, {});
  return row!.xid;
}

const newestDeleted = statement<NoParameters, { xid: string }>(
  "events-newest-deleted",
  () => sql`SELECT coalesce(max(xid::text::numeric), 0)::text AS xid FROM events_horizon`,
);

/** Returns the newest transaction of which events have been deleted; 0 if there is none. */
export async function newestDeletedTransaction(db: Db): Promise<string> {
  const [row] = await runStatement(db, newestDeleted, {});
  return row!.xid;
}

/** Deletes at most `limit` events from `from` until before `before`, skipping rows that another process is deleting. */
export async function deleteEvents(db: Db, range: { from: Date; before: Date; limit: number }): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteOldEvents, range);
  return pruned!;
}

const deleteOldEvents = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-old-events",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM events WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM events WHERE at >= ${p.from}::timestamptz AND at < ${p.before}::timestamptz
         ORDER BY at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING xid, at
    ), moved AS (
      UPDATE events_horizon h SET xid = greatest(h.xid, (SELECT max(xid) FROM deleted))
       WHERE EXISTS (SELECT FROM deleted)
    )
    SELECT count(*)::int AS rows, max(at) AS last FROM deleted`,
);
