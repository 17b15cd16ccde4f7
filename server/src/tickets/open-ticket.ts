import { useCase } from "../access/access.ts";
import { linkTickets, lockAnomalies } from "../anomalies/anomalies.ts";
import { recordWrite } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { changesBetween } from "./changes.ts";
import type { TicketsDeps } from "./deps.ts";
import { checkedDueAt, checkedText, checkedTitle } from "./fields.ts";
import { linked, NO_LINKS, type WantedLinks } from "./links.ts";
import { requireNoUnfinished } from "./one-unfinished.ts";
import { refuseTooOften } from "./ticket-rate.ts";
import { type TicketPriority, type TicketRecord, type TicketType, toRecord } from "./ticket-record.ts";
import { insertTicket } from "./ticket-store.ts";

/** The fields of a new ticket. `null` is the same as absent. */
export interface NewTicket extends WantedLinks {
  title: string;
  description?: string | undefined;
  /** Defaults to corrective. */
  type?: TicketType | undefined;
  /** Defaults to medium. */
  priority?: TicketPriority | undefined;
  dueAt?: Date | null | undefined;
}

/**
 * Opens a maintenance ticket (spec 4.1). A ticket for an anomaly gets the anomaly's device, and the anomaly shows the
 * ticket.
 *
 * @throws MusterError invalid_request with the offending id in `detail`; already_exists if the anomaly has an
 *   unfinished ticket, whose id is in `detail`; rate_limited
 */
export const openTicket = useCase(
  { scope: "tickets:write", role: "operator" },
  async (deps: TicketsDeps, caller, input: NewTicket): Promise<TicketRecord> => {
    const { tenantId, actor } = caller;
    const now = deps.clock.now();
    const id = deps.ids.uuid(now);
    const perMinute = deps.limits.ticketsPerMinute;
    const plain = {
      id,
      title: checkedTitle(input.title),
      description: checkedText("description", input.description ?? ""),
      type: input.type ?? "corrective",
      priority: input.priority ?? "medium",
      status: "open" as const,
      due_at: input.dueAt ? checkedDueAt(input.dueAt) : null,
      resolution: null,
      created_by: actor,
      created_at: now,
      updated_at: now,
      started_at: null,
      completed_at: null,
    };
    const open = inTransaction(deps.database.db, async (tx) => {
      const links = await linked(tx, caller, NO_LINKS, { ...input, deviceId: input.deviceId ?? undefined });
      if (links.anomaly_id !== null) {
        await lockAnomalies(tx, tenantId, [links.anomaly_id]);
        await requireNoUnfinished(tx, tenantId, links.anomaly_id);
      }
      await recordWrite(tx, caller, { resource: "ticket", id, result: "created", at: now }, deps.ids);
      const row = { ...plain, ...links };
      const changes = changesBetween(undefined, toRecord({ ...row, number: 0 }));
      const number = await insertTicket(
        tx,
        tenantId,
        row,
        { id: deps.ids.uuid(now), actor, at: now, changes },
        perMinute,
      );
      if (links.anomaly_id !== null) await linkTickets(tx, tenantId, [{ anomalyId: links.anomaly_id, ticketId: id }]);
      return toRecord({ ...row, number });
    });
    return await open.catch((error) => refuseTooOften(deps, tenantId, error));
  },
);
