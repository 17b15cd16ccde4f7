import { boundedToGroupsOf, type Caller, useCase } from "../access/access.ts";
import { linkTickets, lockAnomalies } from "../anomalies/anomalies.ts";
import { recordWrite } from "../audit/audit.ts";
import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../lib/ids.ts";
import { notFound, preconditionFailed } from "../lib/request-errors.ts";
import { findShownTickets } from "./anomaly-tickets-store.ts";
import { type Changes, changesBetween } from "./changes.ts";
import type { TicketsDeps } from "./deps.ts";
import { invalidTransition } from "./errors.ts";
import { checkedDueAt, checkedText, checkedTitle } from "./fields.ts";
import { linked } from "./links.ts";
import { requireNoUnfinished } from "./one-unfinished.ts";
import { type TicketFields, type TicketRecord, toRecord } from "./ticket-record.ts";
import { lockTicket, type TicketRow, updateTicket } from "./ticket-store.ts";
import { isUnfinished, movesFrom, timesAfter } from "./transitions.ts";

/** A JSON merge patch (RFC 7396): absent fields stay unchanged, `null` clears a field. */
export type TicketPatch = { [Field in keyof TicketFields]?: TicketFields[Field] | undefined };

/**
 * Changes a ticket under its row lock. A patch without effect leaves `updatedAt` and the history alone.
 *
 * @param options.matches the precondition (If-Match), evaluated on the locked ticket
 * @throws MusterError not_found, precondition_failed, invalid_transition, invalid_request with the offending id in
 *   `detail`, already_exists if it would be its anomaly's second unfinished ticket
 */
export const changeTicket = useCase(
  { scope: "tickets:write", role: "operator" },
  async (
    deps: TicketsDeps,
    caller,
    id: string,
    patch: TicketPatch,
    { matches }: { matches?: ((record: object) => boolean) | undefined } = {},
  ): Promise<TicketRecord> => {
    if (!isUuid(id)) throw notFound("ticket");
    const now = deps.clock.now();
    return await inTransaction(deps.database.db, async (tx) => {
      const before = await lockTicket(tx, caller.tenantId, id, boundedToGroupsOf(caller));
      if (!before) throw notFound("ticket");
      if (matches && !matches(toRecord(before))) throw preconditionFailed();
      const after = await patched(tx, caller, before, patch, now);
      const changes = changesBetween(toRecord(before), toRecord(after));
      const changed = Object.keys(changes).length > 0;
      const result = changed ? "updated" : "unchanged";
      await recordWrite(tx, caller, { resource: "ticket", id, result, at: now }, deps.ids);
      if (!changed) return toRecord(before);
      await write(deps, tx, caller, { before, after, changes });
      return toRecord(after);
    });
  },
);

async function patched(tx: Tx, caller: Caller, before: TicketRow, patch: TicketPatch, now: Date): Promise<TicketRow> {
  const { status = before.status, title, description, dueAt, resolution } = patch;
  if (status !== before.status && !movesFrom(before.status).includes(status))
    throw invalidTransition(before.status, status);
  return {
    ...before,
    title: title === undefined ? before.title : checkedTitle(title),
    description: description === undefined ? before.description : checkedText("description", description),
    type: patch.type ?? before.type,
    priority: patch.priority ?? before.priority,
    status,
    due_at: dueAt === undefined ? before.due_at : dueAt && checkedDueAt(dueAt),
    resolution: resolution === undefined ? before.resolution : resolution && checkedText("resolution", resolution),
    ...timesAfter(before, status, now),
    ...(await linked(tx, caller, before, patch)),
    updated_at: now,
  };
}

async function write(
  deps: TicketsDeps,
  tx: Tx,
  caller: Caller,
  { before, after, changes }: { before: TicketRow; after: TicketRow; changes: Changes },
): Promise<void> {
  const { tenantId, actor } = caller;
  const anomalies = anomaliesConcerned(before, after);
  if (anomalies.length > 0) await lockAnomalies(tx, tenantId, anomalies);
  if (after.anomaly_id !== null && anomalies.includes(after.anomaly_id) && isUnfinished(after.status))
    await requireNoUnfinished(tx, tenantId, after.anomaly_id);
  const at = after.updated_at;
  await updateTicket(tx, tenantId, after, { id: deps.ids.uuid(at), actor, at, changes });
  if (anomalies.length > 0) await linkTickets(tx, tenantId, await findShownTickets(tx, anomalies));
}

/**
 * Returns the ids of the anomalies before and after the change if another ticket may have to be shown for them:
 * because the link has changed, or the ticket was finished or reopened.
 */
function anomaliesConcerned(before: TicketRow, after: TicketRow): string[] {
  const same = before.anomaly_id === after.anomaly_id && isUnfinished(before.status) === isUnfinished(after.status);
  if (same) return [];
  return [...new Set([before.anomaly_id, after.anomaly_id])].filter((id) => id !== null);
}
