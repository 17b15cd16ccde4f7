import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeTicket, TICKETS, type Ticket, ticketQuery } from "../../api/monitoring/tickets.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { peopleQuery } from "../../api/people/people.ts";
import type { Versioned } from "../../api/versioned.ts";
import { localMinute } from "../../parts/filter-values.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { bodyOf, LABELS, TicketFields, type TicketValues } from "./ticket-fields.tsx";

interface EditTicketProps {
  opened: boolean;
  onClose: () => void;
  version: Versioned<Ticket>;
}

/** Changes what can be changed of a ticket. A change that another user made in the mean time is not overwritten. */
export function EditTicket({ opened, onClose, version }: EditTicketProps) {
  return (
    <Dialog title="Edit the ticket" opened={opened} onClose={onClose}>
      <EditTicketForm onClose={onClose} version={version} />
    </Dialog>
  );
}

function EditTicketForm({ onClose, version }: Omit<EditTicketProps, "opened">) {
  const queries = useQueryClient();
  const refresh = useRefresh();
  // The version that is changed: the screen goes on to follow the ticket meanwhile.
  const [{ record, etag }, setVersion] = useState(version);
  const form = useForm<TicketValues>({
    mode: "controlled",
    initialValues: valuesOf(record),
    validate: rulesOf("changeTicket", ["title", "description"]),
  });
  const load = async () => {
    const now = await queries.fetchQuery({ ...ticketQuery(record.id), staleTime: 0 });
    setVersion(now);
    return valuesOf(now.record);
  };
  const submit = async (values: TicketValues) => {
    await changeTicket(record.id, changed(record, values), etag);
    await refresh(TICKETS, "/api/admin/overview");
    toast("Saved.");
    onClose();
  };
  return (
    <Form
      form={form}
      onSubmit={submit}
      action="Save"
      onCancel={onClose}
      conflict={{ load, labels: LABELS, show: useShown() }}
    >
      <TicketFields form={form} deviceIsFixed={record.anomalyId !== null} />
    </Form>
  );
}

function valuesOf(ticket: Ticket): TicketValues {
  const { title, description, type, priority, deviceId, groupId, assigneeUserId, dueAt } = ticket;
  return {
    title,
    description,
    type,
    priority,
    deviceId: deviceId ?? "",
    groupId: groupId ?? "",
    assigneeUserId: assigneeUserId ?? "",
    dueAt: localMinute(dueAt),
  };
}

/** Only what is another: a link that stays may be to what is deleted, and a time has seconds that the field has not. */
function changed(ticket: Ticket, values: TicketValues) {
  const [before, after] = [valuesOf(ticket), bodyOf(values)];
  return Object.fromEntries(Object.entries(after).filter(([field]) => before[field] !== values[field]));
}

/** Names people and groups, which the form has by their ids. */
function useShown() {
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const people = useQuery(peopleQuery).data?.items ?? [];
  return (field: keyof TicketValues, value: unknown) => {
    if (field === "assigneeUserId") return people.find(({ id }) => id === value)?.email ?? "unassigned";
    if (field === "groupId") return groups.find(({ id }) => id === value)?.name ?? "none";
    return String(value);
  };
}
