import type { Ticket } from "../../api/monitoring/tickets.ts";
import { Status } from "../../ui/display/status.tsx";
import { Ago, useNow } from "../../ui/display/time.tsx";

/** When a ticket is due; an unfinished one that is due already is overdue. */
export function Due({ ticket, none = "none" }: { ticket: Ticket; none?: string }) {
  const now = useNow();
  const { dueAt, status } = ticket;
  if (dueAt === null) return <span className="soft">{none}</span>;
  const isFinished = status === "completed" || status === "cancelled";
  if (isFinished || Date.parse(dueAt) > now) return <Ago at={dueAt} />;
  return (
    <span className="row">
      <Status tone="bad" plain>
        Overdue
      </Status>
      <Ago at={dueAt} />
    </span>
  );
}
