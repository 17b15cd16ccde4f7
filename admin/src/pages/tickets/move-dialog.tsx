import { Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Ticket, TicketStatus } from "../../api/monitoring/tickets.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { TICKET_MOVES } from "../../words/monitoring.ts";

interface MoveDialogProps {
  ticket: Ticket;
  /** A move that ends the ticket; absent: closed. */
  to: TicketStatus | undefined;
  onClose: () => void;
  onMove: (to: TicketStatus, resolution: string) => Promise<unknown>;
}

/** Asks how a ticket ended. */
export function MoveDialog({ ticket, to, onClose, onMove }: MoveDialogProps) {
  const title = to === "completed" ? `Complete #${ticket.number}` : `Cancel #${ticket.number}`;
  return (
    <Dialog title={title} opened={to !== undefined} onClose={onClose}>
      {to && <MoveForm ticket={ticket} to={to} onClose={onClose} onMove={onMove} />}
    </Dialog>
  );
}

function MoveForm({ ticket, to, onClose, onMove }: MoveDialogProps & { to: TicketStatus }) {
  const form = useForm({
    mode: "controlled",
    initialValues: { resolution: ticket.resolution ?? "" },
    validate: rulesOf("changeTicket", ["resolution"]),
  });
  const submit = async ({ resolution }: { resolution: string }) => {
    await onMove(to, resolution);
    onClose();
  };
  return (
    <Form form={form} onSubmit={submit} action={TICKET_MOVES[to]} onCancel={onClose}>
      <p>{ticket.title}</p>
      <Textarea
        label="Resolution"
        description={to === "completed" ? "What was done. Optional." : "Why it is not done. Optional."}
        autosize
        minRows={3}
        data-autofocus
        {...form.getInputProps("resolution")}
      />
    </Form>
  );
}
