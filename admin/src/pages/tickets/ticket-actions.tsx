import { Textarea } from "@mantine/core";
import { useState } from "react";
import { t } from "#texts/pages/tickets.ts";
import type { Versioned } from "../../api/client.ts";
import type { Ticket, TicketStatus } from "../../api/monitoring/tickets.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { Action, Dialog, Opens } from "../../ui/ui.ts";
import { TICKET_MOVES, TICKET_STATUSES } from "../../words/monitoring.ts";
import { EditTicket } from "./ticket-fields.tsx";
import { allowedIn, endsTicket, useMove } from "./use-move.ts";

export function TicketActions({ version }: { version: Versioned<Ticket> }) {
  const ticket = version.record;
  const [ending, setEnding] = useState<TicketStatus>();
  const [busy, setBusy] = useState<TicketStatus>();
  const [refused, setRefused] = useState<unknown>();
  const mayChange = useMay("changeTicket");
  const move = useMove();
  if (!mayChange) return null;
  const start = async (to: TicketStatus) => {
    if (endsTicket(to)) return setEnding(to);
    setBusy(to);
    await move(ticket, to).catch(setRefused);
    setBusy(undefined);
  };
  return (
    <>
      <Opens label={t.edit} title={t.editTheTicket}>
        {(close) => <EditTicket onClose={close} version={version} />}
      </Opens>
      {inOrder(ticket.moves).map((to, at, { length }) => (
        <Action
          key={to}
          main={at === length - 1}
          label={TICKET_MOVES[to]}
          loading={busy === to}
          onClick={() => void start(to)}
        />
      ))}
      <MoveDialog
        ticket={ticket}
        to={ending}
        onClose={() => setEnding(undefined)}
        onMove={(to, resolution) => move(ticket, to, resolution)}
      />
      <Dialog title={t.theTicketWasNotMoved} opened={refused !== undefined} onClose={() => setRefused(undefined)}>
        <Refused error={refused} onMove={start} onClose={() => setRefused(undefined)} />
      </Dialog>
    </>
  );
}

/**
 * Returns the moves in the order of their buttons. The one that brings the ticket forward is the last and the main one.
 */
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

/** Shows why a move was refused, and the possible moves: another user may have been faster. */
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
          <p>{t.anotherUserWasFasterWhat}</p>
          <div className="row">
            {allowed.map((to) => (
              <Action key={to} label={TICKET_STATUSES[to][1]} onClick={() => void move(to)} />
            ))}
          </div>
        </>
      )}
    </div>
  );
}

interface MoveDialogProps {
  ticket: Ticket;
  /** A move that ends the ticket; absent while the dialog is closed. */
  to: TicketStatus | undefined;
  onClose: () => void;
  onMove: (to: TicketStatus, resolution: string) => Promise<unknown>;
}

/** Asks for the resolution of a ticket that ends. */
export function MoveDialog({ ticket, to, onClose, onMove }: MoveDialogProps) {
  const title = to === "completed" ? t.complete(ticket.number) : t.cancel(ticket.number);
  return (
    <Dialog title={title} opened={to !== undefined} onClose={onClose}>
      {to && <MoveForm ticket={ticket} to={to} onClose={onClose} onMove={onMove} />}
    </Dialog>
  );
}

function MoveForm({ ticket, to, onClose, onMove }: MoveDialogProps & { to: TicketStatus }) {
  const [form, field] = useFields({ resolution: ticket.resolution ?? "" }, "changeTicket");
  const submit = ({ resolution }: { resolution: string }) => onMove(to, resolution).then(onClose);
  return (
    <Form form={form} onSubmit={submit} action={TICKET_MOVES[to]} onCancel={onClose}>
      <p>{ticket.title}</p>
      <Textarea
        label={t.resolution}
        description={to === "completed" ? t.whatWasDoneOptional : t.whyItIsNotDone}
        autosize
        minRows={3}
        data-autofocus
        {...field("resolution")}
      />
    </Form>
  );
}
