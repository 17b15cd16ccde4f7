import { common } from "#texts/common.ts";
import { t } from "#texts/pages/tickets.ts";
import type { Ticket } from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Word } from "../../parts/word.tsx";
import { Ago, type Column, Status, useNow } from "../../ui/ui.ts";
import { PRIORITIES, TICKET_STATUSES } from "../../words/monitoring.ts";
import { endsTicket } from "./use-move.ts";

const DEVICE: Column<Ticket> = {
  title: common.device,
  cell: ({ deviceId }) => (deviceId ? <DeviceLink id={deviceId} /> : <span className="soft">{common.none}</span>),
};

/** Returns the columns of a list of tickets. @param ofDevice hides the device column and turns sorting off */
export function ticketColumns({ ofDevice = false } = {}): readonly Column<Ticket>[] {
  const sorted = (sort: string) => (ofDevice ? {} : { sort });
  return [
    { title: common.ticket, main: true, cell: (ticket) => <Title {...ticket} /> },
    { title: common.state, cell: ({ status }) => <Word of={TICKET_STATUSES} value={status} plain /> },
    {
      title: t.priority,
      ...sorted("priority"),
      cell: ({ priority }) => <Word of={PRIORITIES} value={priority} plain />,
    },
    ...(ofDevice ? [] : [DEVICE]),
    { title: t.assignedTo, cell: (ticket) => <Assignee ticket={ticket} /> },
    { title: t.due, ...sorted("dueAt"), cell: (ticket) => <Due ticket={ticket} /> },
    { title: common.changed, ...sorted("updatedAt"), cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
  ];
}

export function Title({ number, title }: Pick<Ticket, "number" | "title">) {
  return (
    <>
      <span className="soft">#{number}</span> {title}
    </>
  );
}

/** The user who is in charge of a ticket. */
export function Assignee({ ticket: { assigneeUserId } }: { ticket: Ticket }) {
  return assigneeUserId ? <Actor of={`user:${assigneeUserId}`} /> : <span className="soft">{t.unassigned}</span>;
}

/** The due date of a ticket; an unfinished ticket after its due date is overdue. */
export function Due({ ticket: { dueAt, status }, none = common.none }: { ticket: Ticket; none?: string }) {
  const now = useNow();
  if (dueAt === null) return <span className="soft">{none}</span>;
  if (endsTicket(status) || Date.parse(dueAt) > now) return <Ago at={dueAt} />;
  return (
    <span className="row">
      <Status of={["bad", t.overdue]} plain />
      <Ago at={dueAt} />
    </span>
  );
}
