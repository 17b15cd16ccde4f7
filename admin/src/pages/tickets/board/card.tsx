import { NativeSelect } from "@mantine/core";
import type { DragEvent } from "react";
import type { Ticket, TicketStatus } from "../../../api/monitoring/tickets.ts";
import { DeviceLink } from "../../../parts/links/device-link.tsx";
import { useMay } from "../../../parts/session.ts";
import { Word } from "../../../parts/word.tsx";
import { PRIORITIES, TICKET_MOVES } from "../../../words/monitoring.ts";
import { Assignee } from "../columns.tsx";
import { Due } from "../due.tsx";

interface CardProps {
  ticket: Ticket;
  onDraw: (ticket: Ticket | undefined) => void;
  onMove: (ticket: Ticket, to: TicketStatus) => void;
}

/** A ticket on the board. */
export function Card({ ticket, onDraw, onMove }: CardProps) {
  const mayMove = useMay("changeTicket");
  const { id, number, title, priority, deviceId, dueAt } = ticket;
  const begin = (event: DragEvent) => {
    // Without data Firefox draws nothing.
    event.dataTransfer.setData("text/plain", title);
    event.dataTransfer.effectAllowed = "move";
    onDraw(ticket);
  };
  return (
    <article className="card" draggable={mayMove} onDragStart={begin} onDragEnd={() => onDraw(undefined)}>
      <a className="card-title" href={`/tickets/${id}`} draggable={false}>
        <span className="soft">#{number}</span> {title}
      </a>
      <div className="row card-facts">
        <Word of={PRIORITIES} value={priority} plain />
        <Assignee ticket={ticket} />
      </div>
      {(deviceId || dueAt) && (
        <div className="row card-facts">
          {deviceId && <DeviceLink id={deviceId} still />}
          {dueAt && <Due ticket={ticket} />}
        </div>
      )}
      {mayMove && (
        <NativeSelect
          size="xs"
          aria-label={`Move #${number}`}
          value=""
          data={[{ value: "", label: "Move…" }, ...ticket.moves.map((to) => ({ value: to, label: TICKET_MOVES[to] }))]}
          onChange={(event) => onMove(ticket, event.currentTarget.value as TicketStatus)}
        />
      )}
    </article>
  );
}
