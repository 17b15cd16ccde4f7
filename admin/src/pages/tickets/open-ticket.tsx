import { useForm } from "@mantine/form";
import { useRouter } from "@tanstack/react-router";
import type { Anomaly } from "../../api/monitoring/anomalies.ts";
import { openTicket, TICKETS } from "../../api/monitoring/tickets.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { bodyOf, TicketFields, type TicketValues } from "./ticket-fields.tsx";

interface OpenTicketProps {
  opened: boolean;
  onClose: () => void;
  /** The anomaly that it is for. */
  about?: Anomaly;
}

/** Opens a ticket, for an anomaly or for work of another kind, and leads to it. */
export function OpenTicket({ opened, onClose, ...props }: OpenTicketProps) {
  return (
    <Dialog title="Open a ticket" opened={opened} onClose={onClose}>
      <OpenTicketForm onClose={onClose} {...props} />
    </Dialog>
  );
}

function OpenTicketForm({ onClose, about }: Omit<OpenTicketProps, "opened">) {
  const router = useRouter();
  const refresh = useRefresh();
  const form = useForm<TicketValues>({
    mode: "controlled",
    initialValues: valuesFor(about),
    validate: rulesOf("openTicket", ["title", "description"]),
  });
  const submit = async (values: TicketValues) => {
    const { deviceId, ...body } = bodyOf(values);
    const subject = about ? { anomalyId: about.id } : { deviceId };
    const { id, number } = await openTicket({ ...body, ...subject });
    toast(`Ticket #${number} is open.`);
    await router.navigate({ href: `/tickets/${id}` });
    await refresh(TICKETS, "/api/admin/anomalies", "/api/admin/overview");
  };
  return (
    <Form form={form} onSubmit={submit} action="Open ticket" onCancel={onClose}>
      <TicketFields form={form} deviceIsFixed={about !== undefined} />
    </Form>
  );
}

/** Critical anomalies are urgent. */
const PRIORITY = { critical: "urgent", major: "high", minor: "medium", warning: "low" } as const;

function valuesFor(anomaly: Anomaly | undefined): TicketValues {
  return {
    title: anomaly?.message ?? "",
    description: "",
    type: "corrective",
    priority: anomaly ? PRIORITY[anomaly.severity] : "medium",
    deviceId: anomaly?.deviceId ?? "",
    groupId: "",
    assigneeUserId: "",
    dueAt: "",
  };
}
