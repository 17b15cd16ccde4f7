import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import type { NewShift, Shift } from "../../api/people/shifts.ts";
import { Form } from "../../parts/form/form.tsx";
import { PeopleField } from "../../parts/form/people-field.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { timeZones } from "../../parts/form/time-zones.ts";
import { DAYS } from "../../words/on-call.ts";
import "./week.css";

interface ShiftFormProps {
  operation: "createShift" | "updateShift";
  action: string;
  /** Absent for a new one. */
  shift?: Shift;
  onSubmit: (fields: NewShift) => Promise<unknown>;
  onCancel: () => void;
  /** Reads the shift as it is now, when another user was faster. */
  load?: () => Promise<Shift>;
}

type Values = Required<Record<"name" | "timeZone" | "startTime" | "endTime" | "validFrom" | "validUntil", string>> & {
  daysOfWeek: string[];
  userIds: string[];
};

const LABELS: Record<keyof Values, string> = {
  name: "Name",
  timeZone: "Time zone",
  startTime: "From",
  endTime: "Until",
  daysOfWeek: "Begins on",
  userIds: "On duty",
  validFrom: "First day",
  validUntil: "Last day",
};

/** When a shift recurs, and who is on it. */
export function ShiftForm({ operation, action, shift, onSubmit, onCancel, load }: ShiftFormProps) {
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: shift ? valuesOf(shift) : newValues(),
    validate: {
      ...rulesOf(operation, ["name"]),
      daysOfWeek: (days) => (days.length === 0 ? "Choose at least one day." : null),
      startTime: needed,
      endTime: needed,
    },
  });
  const { startTime, endTime, timeZone } = form.getValues();
  const submit = ({ validFrom, validUntil, daysOfWeek, ...values }: Values) =>
    onSubmit({
      ...values,
      daysOfWeek: daysOfWeek as NewShift["daysOfWeek"],
      validFrom: validFrom || null,
      validUntil: validUntil || null,
    });
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={action}
      onCancel={onCancel}
      {...(load ? { conflict: { load: async () => valuesOf(await load()), labels: LABELS } } : {})}
    >
      <TextInput label={LABELS.name} placeholder="Nights" data-autofocus {...form.getInputProps("name")} />
      <div className="row">
        <TextInput type="time" label={LABELS.startTime} {...form.getInputProps("startTime")} />
        <TextInput type="time" label={LABELS.endTime} {...form.getInputProps("endTime")} />
        {startTime !== "" && endTime !== "" && (
          <span className="soft shift-note">{lengthText(startTime, endTime)}</span>
        )}
      </div>
      <DaysField {...form.getInputProps("daysOfWeek")} />
      <NativeSelect
        label={LABELS.timeZone}
        description="The shift follows the clock on the wall there, also when daylight saving begins or ends."
        data={timeZones(timeZone)}
        {...form.getInputProps("timeZone")}
      />
      <PeopleField
        label={LABELS.userIds}
        description="All of them are paged together."
        {...form.getInputProps("userIds")}
      />
      <div className="row">
        <TextInput type="date" label={LABELS.validFrom} {...form.getInputProps("validFrom")} />
        <TextInput type="date" label={LABELS.validUntil} {...form.getInputProps("validUntil")} />
        <span className="soft shift-note">Both may be empty.</span>
      </div>
    </Form>
  );
}

function DaysField(props: { value?: string[]; onChange: (days: string[]) => void; error?: ReactNode }) {
  return (
    <Checkbox.Group
      label={LABELS.daysOfWeek}
      description="A night that begins on a day counts as one of that day."
      {...props}
    >
      <div className="row shift-days">
        {Object.entries(DAYS).map(([value, label]) => (
          <Checkbox key={value} value={value} label={label} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

function newValues(): Values {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const times = { startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon", "tue", "wed", "thu", "fri"] };
  return { name: "", timeZone, ...times, userIds: [], validFrom: "", validUntil: "" };
}

function valuesOf({ name, timeZone, startTime, endTime, daysOfWeek, userIds, validFrom, validUntil }: Shift): Values {
  const bounds = { validFrom: validFrom ?? "", validUntil: validUntil ?? "" };
  return { name, timeZone, startTime, endTime, daysOfWeek: [...daysOfWeek], userIds: [...userIds], ...bounds };
}

function needed(value: string): string | null {
  return value === "" ? "Enter a time." : null;
}

function lengthText(start: string, end: string): string {
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const length = (minutes(end) - minutes(start) + 1440) % 1440 || 1440;
  const next = minutes(end) <= minutes(start) ? ", into the next day" : "";
  return `${Number((length / 60).toFixed(2))} h${next}`;
}
