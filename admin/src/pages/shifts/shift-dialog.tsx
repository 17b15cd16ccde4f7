import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Versioned } from "../../api/client.ts";
import { deleteShift, type NewShift, type Shift, shiftQuery, updateShift } from "../../api/people/shifts.ts";
import { Confirm } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { PeopleField } from "../../parts/form/choices-field.tsx";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { timeZones } from "../../parts/form/rules.ts";
import { GroupNames } from "../../parts/group-names.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { Action, Dialog, Facts } from "../../ui/ui.ts";
import { DAYS } from "../../words/on-call.ts";
import { OF_SHIFTS, OnDuty, shiftTimes } from "./shift-times.tsx";
import "./week.css";

/** A shift: its facts, or its fields for a user who may change it. */
export function ShiftDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(shiftQuery(id));
  const may = useMay("updateShift");
  const [deleting, setDeleting] = useState(false);
  const { name = "", groupIds = [] } = query.data?.record ?? {};
  return (
    <>
      <Dialog title={name || "Shift"} opened={!deleting} onClose={onClose}>
        <Loaded query={query}>
          {(shift) =>
            may ? (
              <Change key={id} opened={shift} onClose={onClose} onDelete={() => setDeleting(true)} />
            ) : (
              <Facts facts={factsOf(shift.record)} />
            )
          }
        </Loaded>
      </Dialog>
      <Confirm
        title={`Delete ${name}?`}
        opened={deleting}
        onClose={() => setDeleting(false)}
        action="Delete shift"
        typed={name}
        run={() => deleteShift(id).then(onClose)}
        done="The shift is deleted."
        refreshes={OF_SHIFTS}
      >
        <p>
          Its users are on duty no more, for <GroupNames ids={groupIds} none="no group" />. Hours that only this shift
          covers become uncovered.
        </p>
      </Confirm>
    </>
  );
}

function factsOf(shift: Shift) {
  const people = shift.userIds.map((id) => (
    <div key={id}>
      <Actor of={`user:${id}`} />
    </div>
  ));
  return {
    "On duty": shiftTimes(shift),
    Now: <OnDuty shift={shift} />,
    People: people,
    Groups: <GroupNames ids={shift.groupIds} none="on no group" />,
    "First day": shift.validFrom,
    "Last day": shift.validUntil,
  };
}

interface ChangeProps {
  opened: Versioned<Shift>;
  onClose: () => void;
  onDelete: () => void;
}

function Change({ opened, onClose, onDelete }: ChangeProps) {
  const { record, etag, load } = useVersion(opened, shiftQuery(opened.record.id));
  return (
    <div className="stack">
      <div className="row">
        <OnDuty shift={record} />
        <span className="soft">
          Groups: <GroupNames ids={record.groupIds} none="on no group" />
        </span>
        <Action small label="Delete" onClick={onDelete} />
      </div>
      <ShiftForm
        operation="updateShift"
        action="Save"
        shift={record}
        load={load}
        onClose={onClose}
        onSubmit={(fields) => updateShift(record.id, etag, fields)}
        done="Saved."
      />
    </div>
  );
}

interface ShiftFormProps {
  operation: "createShift" | "updateShift";
  action: string;
  /** Absent for a new shift. */
  shift?: Shift;
  onSubmit: (fields: NewShift) => Promise<Shift>;
  onClose: () => void;
  done: string | ((shift: Shift) => string);
  /** Reads the present version, when another user was faster. */
  load?: () => Promise<Shift>;
}
const LABELS = {
  name: "Name",
  timeZone: "Time zone",
  startTime: "From",
  endTime: "Until",
  daysOfWeek: "Begins on",
  userIds: "On duty",
  validFrom: "First day",
  validUntil: "Last day",
};

/** The fields of a shift: when it recurs, and who is on it. */
export function ShiftForm(props: ShiftFormProps) {
  const { operation, action, shift, onSubmit, onClose, load, done } = props;
  const [form, field] = useFields<ReturnType<typeof valuesOf>>(shift ? valuesOf(shift) : newValues(), operation, {
    daysOfWeek: (days) => (days.length === 0 ? "Choose at least one day." : null),
    startTime: needed,
    endTime: needed,
    validFrom: () => null,
    validUntil: () => null,
  });
  const { startTime, endTime, timeZone } = form.getValues();
  const submit = ({ validFrom, validUntil, daysOfWeek, ...values }: typeof form.values) => {
    const days = daysOfWeek as NewShift["daysOfWeek"];
    return onSubmit({ ...values, daysOfWeek: days, validFrom: validFrom || null, validUntil: validUntil || null });
  };
  const conflict = load && { load: async () => valuesOf(await load()), labels: LABELS };
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={action}
      onCancel={onClose}
      conflict={conflict}
      done={done}
      refreshes={OF_SHIFTS}
      onDone={onClose}
    >
      <TextInput label={LABELS.name} placeholder="Nights" data-autofocus {...field("name")} />
      <div className="row">
        <TextInput type="time" label={LABELS.startTime} {...field("startTime")} />
        <TextInput type="time" label={LABELS.endTime} {...field("endTime")} />
        {startTime !== "" && endTime !== "" && (
          <span className="soft shift-note">{lengthText(startTime, endTime)}</span>
        )}
      </div>
      <DaysField {...field("daysOfWeek")} />
      <NativeSelect
        label={LABELS.timeZone}
        description="The shift follows the clock on the wall there, also when daylight saving begins or ends."
        data={timeZones(timeZone)}
        {...field("timeZone")}
      />
      <PeopleField label={LABELS.userIds} description="All of them are paged together." {...field("userIds")} />
      <div className="row">
        <TextInput type="date" label={LABELS.validFrom} {...field("validFrom")} />
        <TextInput type="date" label={LABELS.validUntil} {...field("validUntil")} />
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

function newValues() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const times = { startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon", "tue", "wed", "thu", "fri"] };
  return { name: "", timeZone, ...times, userIds: [] as string[], validFrom: "", validUntil: "" };
}

function valuesOf({ name, timeZone, startTime, endTime, daysOfWeek, userIds, validFrom, validUntil }: Shift) {
  const bounds = { validFrom: validFrom ?? "", validUntil: validUntil ?? "" };
  return {
    name,
    timeZone,
    startTime,
    endTime,
    daysOfWeek: [...daysOfWeek] as string[],
    userIds: [...userIds],
    ...bounds,
  };
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
