import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import type { Versioned } from "../../api/client.ts";
import type { Anomaly } from "../../api/monitoring/anomalies.ts";
import { changeTicket, openTicket, TICKETS, type Ticket, ticketQuery } from "../../api/monitoring/tickets.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { peopleQuery } from "../../api/people/people.ts";
import { instantOf, localMinute } from "../../parts/filter-values.ts";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { useSession } from "../../parts/session.ts";
import { PRIORITIES, TICKET_TYPES } from "../../words/monitoring.ts";

/** A ticket in the form; absent values are empty text. */
interface TicketValues extends Record<string, unknown> {
  title: string;
  description: string;
  type: Ticket["type"];
  priority: Ticket["priority"];
  deviceId: string;
  groupId: string;
  assigneeUserId: string;
  /** `2026-11-22T14:30` in the user's own zone. */
  dueAt: string;
}

const LABELS: Record<keyof TicketValues, string> = {
  title: "Title",
  description: "Description",
  type: "Type",
  priority: "Priority",
  deviceId: "Device id",
  groupId: "Group",
  assigneeUserId: "Assigned to",
  dueAt: "Due",
};

/** Returns the values in the form of the API. */
function bodyOf({ deviceId, groupId, assigneeUserId, dueAt, ...values }: TicketValues) {
  return {
    ...values,
    deviceId: deviceId.trim() || null,
    groupId: groupId || null,
    assigneeUserId: assigneeUserId || null,
    dueAt: instantOf(dueAt) ?? null,
  };
}

interface TicketFieldsProps {
  form: UseFormReturnType<TicketValues>;
  /** Set if the device is that of an anomaly. */
  deviceIsFixed: boolean;
}

function TicketFields({ form, deviceIsFixed }: TicketFieldsProps) {
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  return (
    <>
      <TextInput
        label="Title"
        description="What is to be done, in one line."
        data-autofocus
        {...form.getInputProps("title")}
      />
      <Textarea label="Description" autosize minRows={2} maxRows={12} {...form.getInputProps("description")} />
      <NativeSelect
        label="Priority"
        data={Object.entries(PRIORITIES).map(([value, [, label]]) => ({ value, label: label.toLowerCase() }))}
        {...form.getInputProps("priority")}
      />
      <NativeSelect
        label="Type"
        data={Object.entries(TICKET_TYPES).map(([value, label]) => ({ value, label: label.toLowerCase() }))}
        {...form.getInputProps("type")}
      />
      <AssigneeField {...form.getInputProps("assigneeUserId")} />
      <TextInput
        type="datetime-local"
        label="Due"
        description="In your own time zone."
        {...form.getInputProps("dueAt")}
      />
      <NativeSelect
        label="Group"
        description="Whose work it is. Its members see the ticket."
        data={[{ value: "", label: "none" }, ...groups.map(({ id, name }) => ({ value: id, label: name }))]}
        {...form.getInputProps("groupId")}
      />
      <TextInput
        label="Device id"
        description={deviceIsFixed ? "That of the anomaly." : "What it is about, if it is about a device."}
        readOnly={deviceIsFixed}
        {...form.getInputProps("deviceId")}
      />
    </>
  );
}

function AssigneeField(props: { value?: string }) {
  const { user } = useSession();
  const people = useQuery(peopleQuery()).data?.items ?? [];
  const others = people.filter(({ id }) => id !== user.id).map(({ id, email }) => ({ value: id, label: email }));
  const choices = [{ value: "", label: "unassigned" }, { value: user.id, label: "me" }, ...others];
  const isGone = props.value && !choices.some(({ value }) => value === props.value);
  return (
    <NativeSelect
      label="Assigned to"
      data={isGone ? [...choices, { value: props.value!, label: "a former user" }] : choices}
      {...props}
    />
  );
}

/** Changes the fields of a ticket. A change that another user made in the meantime is not overwritten. */
export function EditTicket({ onClose, version }: { onClose: () => void; version: Versioned<Ticket> }) {
  const { record, etag, load } = useVersion(version, ticketQuery(version.record.id));
  const [form] = useFields<TicketValues>(valuesOf(record), "changeTicket");
  const conflict = { load: async () => valuesOf(await load()), labels: LABELS, show: useShown() };
  const submit = (values: TicketValues) => changeTicket(record.id, changed(record, values), etag);
  return (
    <Form
      form={form}
      onSubmit={submit}
      action="Save"
      onCancel={onClose}
      conflict={conflict}
      done="Saved."
      refreshes={[TICKETS, "/api/admin/overview"]}
      onDone={onClose}
    >
      <TicketFields form={form} deviceIsFixed={record.anomalyId !== null} />
    </Form>
  );
}

function valuesOf(ticket: Ticket): TicketValues {
  const { title, description, type, priority, deviceId, groupId, assigneeUserId, dueAt } = ticket;
  const links = { deviceId: deviceId ?? "", groupId: groupId ?? "", assigneeUserId: assigneeUserId ?? "" };
  return { title, description, type, priority, ...links, dueAt: localMinute(dueAt) };
}

/**
 * Returns the changed fields only: an unchanged link may be to a deleted record, and a time has seconds that its field
 * lacks.
 */
function changed(ticket: Ticket, values: TicketValues) {
  const [before, after] = [valuesOf(ticket), bodyOf(values)];
  return Object.fromEntries(Object.entries(after).filter(([field]) => before[field] !== values[field]));
}

/** Names users and groups, which the form has by their ids. */
function useShown() {
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const people = useQuery(peopleQuery()).data?.items ?? [];
  return (field: keyof TicketValues, value: unknown) => {
    if (field === "assigneeUserId") return people.find(({ id }) => id === value)?.email ?? "unassigned";
    if (field === "groupId") return groups.find(({ id }) => id === value)?.name ?? "none";
    return String(value);
  };
}

/** Opens a ticket, for an anomaly or for other work, and leads to it. */
export function OpenTicket({ onClose, about }: { onClose: () => void; about?: Anomaly }) {
  const [form] = useFields<TicketValues>(valuesFor(about), "openTicket");
  const submit = (values: TicketValues) => {
    const { deviceId, ...body } = bodyOf(values);
    return openTicket({ ...body, ...(about ? { anomalyId: about.id } : { deviceId }) });
  };
  return (
    <Form
      form={form}
      onSubmit={submit}
      action="Open ticket"
      onCancel={onClose}
      done={({ number }) => `Ticket #${number} is open.`}
      leads={({ id }) => `/tickets/${id}`}
      refreshes={[TICKETS, "/api/admin/anomalies", "/api/admin/overview"]}
    >
      <TicketFields form={form} deviceIsFixed={about !== undefined} />
    </Form>
  );
}

/** Critical anomalies are urgent. */
const PRIORITY = { critical: "urgent", major: "high", minor: "medium", warning: "low" } as const;

function valuesFor(anomaly: Anomaly | undefined): TicketValues {
  const priority = anomaly ? PRIORITY[anomaly.severity] : "medium";
  const subject = { title: anomaly?.message ?? "", deviceId: anomaly?.deviceId ?? "" };
  return { ...subject, description: "", type: "corrective", priority, groupId: "", assigneeUserId: "", dueAt: "" };
}
