import { withinSentence } from "#texts/language.ts";
import { t } from "#texts/pages/tickets.ts";
import { changeTicket, TICKETS, type Ticket, type TicketStatus } from "../../api/monitoring/tickets.ts";
import { Problem } from "../../api/problem.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { TICKET_STATUSES } from "../../words/monitoring.ts";

/** Whether a status ends a ticket; a move to it asks for the resolution. */
export function endsTicket(to: TicketStatus): boolean {
  return to === "completed" || to === "cancelled";
}

/** Gives a ticket another status, with a resolution if that ends it. Tickets are read again, also after a refusal. */
export function useMove(): (ticket: Ticket, to: TicketStatus, resolution?: string) => Promise<void> {
  const refresh = useRefresh();
  return async (ticket, to, resolution) => {
    const ended = resolution === undefined ? {} : { resolution: resolution.trim() || null };
    try {
      await changeTicket(ticket.id, { status: to, ...ended });
      toast(t.is(ticket.number, withinSentence(TICKET_STATUSES[to][1])));
    } finally {
      await refresh(TICKETS, "/api/admin/anomalies", "/api/admin/overview");
    }
  };
}

/** Returns the possible moves that a refused one names; none for another problem. */
export function allowedIn(error: unknown): readonly TicketStatus[] {
  if (!(error instanceof Problem) || error.code !== "invalid_transition") return [];
  const { allowed } = error.body as { allowed?: TicketStatus[] };
  return allowed ?? [];
}
