import { Button } from "@mantine/core";
import { useState } from "react";
import type { Ticket, TicketStatus } from "../../api/monitoring/tickets.ts";
import type { Versioned } from "../../api/versioned.ts";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { TICKET_MOVES, TICKET_STATUSES } from "../../words/monitoring.ts";
import { EditTicket } from "./edit-ticket.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { allowedIn, endsTicket, useMove } from "./use-move.ts";

/** The moves that a ticket has now, and its fields. */
export function TicketActions({ version }: { version: Versioned<Ticket> }) {
  const ticket = version.record;
  const [dialog, setDialog] = useState<TicketStatus | "edit">();
  const [busy, setBusy] = useState<TicketStatus>();
  const [refused, setRefused] = useState<unknown>();
  const mayChange = useMay("changeTicket");
  const move = useMove();
  if (!mayChange) return null;
  const start = async (to: TicketStatus) => {
    if (endsTicket(to)) return setDialog(to);
    setBusy(to);
    await move(ticket, to).catch(setRefused);
    setBusy(undefined);
  };
  const close = () => setDialog(undefined);
  return (
    <>
      <Button variant="default" onClick={() => setDialog("edit")}>
        Edit
      </Button>
      {inOrder(ticket.moves).map((to, at, moves) => (
        <Button
          key={to}
          {...(at === moves.length - 1 ? {} : { variant: "default" })}
          loading={busy === to}
          onClick={() => void start(to)}
        >
          {TICKET_MOVES[to]}
        </Button>
      ))}
      <EditTicket opened={dialog === "edit"} onClose={close} version={version} />
      <MoveDialog
        ticket={ticket}
        to={dialog === "edit" ? undefined : dialog}
        onClose={close}
        onMove={(to, resolution) => move(ticket, to, resolution)}
      />
      <Dialog title="The ticket was not moved" opened={refused !== undefined} onClose={() => setRefused(undefined)}>
        <Refused error={refused} onMove={start} onClose={() => setRefused(undefined)} />
      </Dialog>
    </>
  );
}

/** The move that brings the ticket forward is the last, where the main button stands. */
function inOrder(moves: readonly TicketStatus[]): TicketStatus[] {
  const main = moves.includes("completed") ? "completed" : moves[0];
  const others = moves.filter((to) => to !== main).toReversed();
  return main === undefined ? others : [...others, main];
}

interface RefusedProps {
  error: unknown;
  onMove: (to: TicketStatus) => Promise<void>;
  onClose: () => void;
}

/** Why, and the moves that are possible in its place: another user may have been faster. */
function Refused({ error, onMove, onClose }: RefusedProps) {
  const move = async (to: TicketStatus) => {
    onClose();
    await onMove(to);
  };
  const allowed = allowedIn(error);
  return (
    <div className="stack">
      <ProblemBox error={error} />
      {allowed.length > 0 && (
        <>
          <p>Another user was faster. What is possible now:</p>
          <div className="row">
            {allowed.map((to) => (
              <Button key={to} variant="default" onClick={() => void move(to)}>
                {TICKET_STATUSES[to][1]}
              </Button>
            ))}
          </div>
        </>
      )}
    </div>
  );
}
