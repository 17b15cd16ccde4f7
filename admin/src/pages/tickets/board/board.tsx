import { useState } from "react";
import type { Ticket, TicketQuery, TicketStatus } from "../../../api/monitoring/tickets.ts";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import { TICKET_STATUSES } from "../../../words/monitoring.ts";
import { MoveDialog } from "../move-dialog.tsx";
import { allowedIn, endsTicket, useMove } from "../use-move.ts";
import { BoardColumn } from "./board-column.tsx";
import "./board.css";

/** The columns in the order of work. */
const COLUMNS: readonly TicketStatus[] = ["open", "in_progress", "on_hold", "completed", "cancelled"];

interface BoardProps {
  query: Omit<TicketQuery, "skip" | "limit" | "sort" | "status">;
}

interface Ending {
  ticket: Ticket;
  to: TicketStatus;
}

/** Tickets by their state, the most urgent first. A card is moved by its menu, or by drawing it to another column. */
export function Board({ query }: BoardProps) {
  const move = useMove();
  const [ending, setEnding] = useState<Ending>();
  const [refused, setRefused] = useState<unknown>();
  const [drawn, setDrawn] = useState<Ticket>();
  const start = async (ticket: Ticket, to: TicketStatus) => {
    setRefused(undefined);
    if (endsTicket(to)) return setEnding({ ticket, to });
    await move(ticket, to).catch(setRefused);
  };
  const allowed = allowedIn(refused).map((each) => TICKET_STATUSES[each][1].toLowerCase());
  return (
    <>
      {refused !== undefined && (
        <ProblemBox error={refused}>
          {allowed.length > 0 && <p>Possible now: {allowed.join(", ")}. The board shows the ticket as it is.</p>}
        </ProblemBox>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it on a phone */}
      <section className="board" aria-label="Board" tabIndex={0}>
        {COLUMNS.map((status) => (
          <BoardColumn
            key={status}
            status={status}
            query={query}
            drawn={drawn}
            onDraw={setDrawn}
            onMove={(ticket, to) => void start(ticket, to)}
          />
        ))}
      </section>
      {ending && (
        <MoveDialog
          ticket={ending.ticket}
          to={ending.to}
          onClose={() => setEnding(undefined)}
          onMove={(to, resolution) => move(ending.ticket, to, resolution)}
        />
      )}
    </>
  );
}
