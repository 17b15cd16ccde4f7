import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import type { Ticket } from "../../api/monitoring/tickets.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { peopleQuery } from "../../api/people/people.ts";
import { instantOf } from "../../parts/filter-values.ts";
import { useSession } from "../../parts/session.ts";
import { PRIORITIES, TICKET_TYPES } from "../../words/monitoring.ts";

/** A ticket as a form has it: empty text for none. */
export interface TicketValues extends Record<string, unknown> {
  title: string;
  description: string;
  type: Ticket["type"];
  priority: Ticket["priority"];
  deviceId: string;
  groupId: string;
  assigneeUserId: string;
  /** `2026-11-22T14:30`, of the user's own zone. */
  dueAt: string;
}

export const LABELS: Record<keyof TicketValues, string> = {
  title: "Title",
  description: "Description",
  type: "Type",
  priority: "Priority",
  deviceId: "Device id",
  groupId: "Group",
  assigneeUserId: "Assigned to",
  dueAt: "Due",
};

/** What the API is sent for the values. */
export function bodyOf({ deviceId, groupId, assigneeUserId, dueAt, ...values }: TicketValues) {
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
  /** The device is that of an anomaly. */
  deviceIsFixed: boolean;
}

/** The fields of a ticket that a person sets. */
export function TicketFields({ form, deviceIsFixed }: TicketFieldsProps) {
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
  const people = useQuery(peopleQuery).data?.items ?? [];
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
