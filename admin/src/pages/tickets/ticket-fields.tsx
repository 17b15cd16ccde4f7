import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { withinSentence } from "#texts/language.ts";
import { t } from "#texts/pages/tickets.ts";
import type { Versioned } from "../../api/client.ts";
import { deviceQuery } from "../../api/devices.ts";
import type { Anomaly } from "../../api/monitoring/anomalies.ts";
import { changeTicket, openTicket, TICKETS, type Ticket, ticketQuery } from "../../api/monitoring/tickets.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { nameOfPerson, type Person, peopleQuery } from "../../api/people/people.ts";
import { instantOf, localMinute } from "../../parts/filter-values.ts";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
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
  title: t.title,
  description: common.description,
  type: common.type,
  priority: t.priority,
  deviceId: common.deviceId,
  groupId: common.group,
  assigneeUserId: t.assignedTo,
  dueAt: t.due,
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
  /** Set if an anomaly determines the device. */
  deviceIsFixed: boolean;
}

function TicketFields({ form, deviceIsFixed }: TicketFieldsProps) {
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  return (
    <>
      <TextInput label={t.title} description={t.whatIsToBeDone} data-autofocus {...form.getInputProps("title")} />
      <Textarea label={common.description} autosize minRows={2} maxRows={12} {...form.getInputProps("description")} />
      <NativeSelect
        label={t.priority}
        data={Object.entries(PRIORITIES).map(([value, [, label]]) => ({ value, label: withinSentence(label) }))}
        {...form.getInputProps("priority")}
      />
      <NativeSelect
        label={common.type}
        data={Object.entries(TICKET_TYPES).map(([value, label]) => ({ value, label: withinSentence(label) }))}
        {...form.getInputProps("type")}
      />
      <AssigneeField {...form.getInputProps("assigneeUserId")} />
      <TextInput
        type="datetime-local"
        label={t.due}
        description={t.inYourOwnTimeZone}
        {...form.getInputProps("dueAt")}
      />
      <NativeSelect
        label={common.group}
        description={t.whoseWorkItIsIts}
        data={[{ value: "", label: common.none }, ...groups.map(({ id, name }) => ({ value: id, label: name }))]}
        {...form.getInputProps("groupId")}
      />
      <TextInput
        label={common.deviceId}
        description={deviceIsFixed ? t.thatOfTheAnomaly : t.whatItIsAboutIf}
        readOnly={deviceIsFixed}
        {...form.getInputProps("deviceId")}
      />
    </>
  );
}

function AssigneeField(props: { value?: string }) {
  const { user } = useSession();
  const people = useQuery(peopleQuery()).data?.items ?? [];
  const others = people
    .filter(({ id }) => id !== user.id)
    .map((person) => ({ value: person.id, label: nameOfPerson(person) }));
  const choices = [{ value: "", label: t.unassigned }, { value: user.id, label: t.me }, ...others];
  const isGone = props.value && !choices.some(({ value }) => value === props.value);
  return (
    <NativeSelect
      label={t.assignedTo}
      data={isGone ? [...choices, { value: props.value!, label: t.aFormerUser }] : choices}
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
      action={common.save}
      onCancel={onClose}
      conflict={conflict}
      done={common.saved}
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
    if (field === "assigneeUserId") return assigneeText(people.find(({ id }) => id === value));
    if (field === "groupId") return groups.find(({ id }) => id === value)?.name ?? "none";
    return String(value);
  };
}

interface OpenTicketProps {
  onClose: () => void;
  about?: Anomaly;
}

/** Opens a ticket, for an anomaly or for other work, and leads to it. */
export function OpenTicket({ onClose, about }: OpenTicketProps) {
  if (about === undefined) return <OpenTicketForm onClose={onClose} groupIds={[]} />;
  return <OpenTicketAbout onClose={onClose} about={about} />;
}

/** Offers the groups of the device, whose members then see the ticket. */
function OpenTicketAbout({ onClose, about }: Required<OpenTicketProps>) {
  const device = useQuery(deviceQuery(about.deviceId));
  return (
    <Loaded query={device}>
      {({ record }) => <OpenTicketForm onClose={onClose} about={about} groupIds={record.groupIds} />}
    </Loaded>
  );
}

/** @param groupIds the groups of the device; if there are several, the user must choose one */
function OpenTicketForm({ onClose, about, groupIds }: OpenTicketProps & { groupIds: readonly string[] }) {
  const mustChoose = groupIds.length > 1;
  const initial = { ...valuesFor(about), groupId: groupIds.length === 1 ? groupIds[0]! : "" };
  const [form] = useFields<TicketValues>(initial, "openTicket", {
    groupId: (value: unknown) => (mustChoose && value === "" ? t.chooseOneOfTheGroups : null),
  });
  const submit = (values: TicketValues) => {
    const { deviceId, ...body } = bodyOf(values);
    return openTicket({ ...body, ...(about ? { anomalyId: about.id } : { deviceId }) });
  };
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={t.openTicket}
      onCancel={onClose}
      done={({ number }) => t.ticketIsOpen(number)}
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

function assigneeText(person: Person | undefined): string {
  return person ? nameOfPerson(person) : t.unassigned;
}
