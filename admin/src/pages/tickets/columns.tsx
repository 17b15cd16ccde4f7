import type { Ticket } from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Word } from "../../parts/word.tsx";
import type { Column } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { PRIORITIES, TICKET_STATUSES } from "../../words/monitoring.ts";
import { Due } from "./due.tsx";

/** The columns of a list of tickets; `ofDevice`: all are of one device. */
export function ticketColumns({ ofDevice = false } = {}): readonly Column<Ticket>[] {
  return [
    {
      key: "title",
      title: "Ticket",
      main: true,
      cell: ({ number, title }) => (
        <>
          <span className="soft">#{number}</span> {title}
        </>
      ),
    },
    { key: "status", title: "State", cell: ({ status }) => <Word of={TICKET_STATUSES} value={status} plain /> },
    {
      key: "priority",
      title: "Priority",
      ...(ofDevice ? {} : { sort: "priority" }),
      cell: ({ priority }) => <Word of={PRIORITIES} value={priority} plain />,
    },
    ...(ofDevice ? [] : [DEVICE]),
    { key: "assignee", title: "Assigned to", cell: (ticket) => <Assignee ticket={ticket} /> },
    { key: "due", title: "Due", ...(ofDevice ? {} : { sort: "dueAt" }), cell: (ticket) => <Due ticket={ticket} /> },
    {
      key: "updated",
      title: "Changed",
      ...(ofDevice ? {} : { sort: "updatedAt" }),
      cell: ({ updatedAt }) => <Ago at={updatedAt} />,
    },
  ];
}

const DEVICE: Column<Ticket> = {
  key: "device",
  title: "Device",
  cell: ({ deviceId }) => (deviceId ? <DeviceLink id={deviceId} /> : <span className="soft">none</span>),
};

/** Who does it. */
export function Assignee({ ticket: { assigneeUserId } }: { ticket: Ticket }) {
  return assigneeUserId ? <Actor of={`user:${assigneeUserId}`} /> : <span className="soft">unassigned</span>;
}
