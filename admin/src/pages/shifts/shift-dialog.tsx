import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/shifts.ts";
import { t as rotationTexts } from "#texts/rotation.ts";
import type { Versioned } from "../../api/client.ts";
import { deleteShift, type NewShift, type Shift, shiftQuery, updateShift } from "../../api/people/shifts.ts";
import { Confirm } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { PeopleField } from "../../parts/form/choices-field.tsx";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { unitText } from "../../texts/number-text.ts";
import { timeZonesWith } from "../../ui/display/time-zones.ts";
import { Action, Dialog, Facts, ownZone } from "../../ui/ui.ts";
import { DAYS } from "../../words/on-call.ts";
import { RotationFields, type RotationValues, rotationOf, rotationValuesOf } from "./rotation-fields.tsx";
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
      <Dialog title={name || t.shift} opened={!deleting} onClose={onClose}>
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
        title={t.delete(name)}
        opened={deleting}
        onClose={() => setDeleting(false)}
        action={t.deleteShift}
        typed={name}
        run={() => deleteShift(id).then(onClose)}
        done={t.theShiftIsDeleted}
        refreshes={OF_SHIFTS}
      >
        <p>{t.itsUsersAreOnDuty(<GroupNames ids={groupIds} none={t.noGroup} />)}</p>
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
    [t.onDuty2]: shiftTimes(shift),
    [common.now]: <OnDuty shift={shift} />,
    [t.people]: people,
    [common.groups]: <GroupNames ids={shift.groupIds} none={t.onNoGroup} />,
    [t.firstDay]: shift.validFrom,
    [t.lastDay]: shift.validUntil,
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
        <span className="soft">{t.groups(<GroupNames ids={record.groupIds} none={t.onNoGroup} />)}</span>
        <Action small label={common.delete} onClick={onDelete} />
      </div>
      <ShiftForm
        operation="updateShift"
        action={common.save}
        shift={record}
        load={load}
        onClose={onClose}
        onSubmit={(fields) => updateShift(record.id, etag, fields)}
        done={common.saved}
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
  name: common.name,
  timeZone: t.timeZone,
  startTime: common.from,
  endTime: t.until,
  daysOfWeek: t.beginsOn,
  userIds: t.onDuty2,
  validFrom: t.firstDay,
  validUntil: t.lastDay,
  layer: rotationTexts.layer,
  rotates: rotationTexts.onDuty,
  every: rotationTexts.everyTurn,
  unit: rotationTexts.unit,
  startDate: rotationTexts.firstTurn,
  handOverTime: rotationTexts.handOver,
  turns: rotationTexts.turns,
};

/** The fields of a shift: when it recurs, and who is on it. */
export function ShiftForm(props: ShiftFormProps) {
  const { operation, action, shift, onSubmit, onClose, load, done } = props;
  const [form, field] = useFields<Values>(shift ? valuesOf(shift) : newValues(), operation, {
    daysOfWeek: (days) => (days.length === 0 ? t.chooseAtLeastOneDay : null),
    startTime: needed,
    endTime: needed,
    validFrom: () => null,
    validUntil: () => null,
  });
  const { startTime, endTime, timeZone } = form.getValues();
  const submit = (values: typeof form.values) => onSubmit(fieldsOf(values));
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
      <TextInput label={LABELS.name} placeholder={t.nights} data-autofocus {...field("name")} />
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
        description={t.theShiftFollowsTheClock}
        data={timeZonesWith(timeZone)}
        {...field("timeZone")}
      />
      <WhoIsOnDuty form={form} field={field} />
      <div className="row">
        <TextInput type="date" label={LABELS.validFrom} {...field("validFrom")} />
        <TextInput type="date" label={LABELS.validUntil} {...field("validUntil")} />
        <span className="soft shift-note">{t.bothMayBeEmpty}</span>
      </div>
    </Form>
  );
}

interface FormOfShift {
  form: UseFormReturnType<Values>;
  field: UseFormReturnType<Values>["getInputProps"];
}

/** Chooses between everybody together and turns, and the layer. */
function WhoIsOnDuty({ form, field }: FormOfShift) {
  return (
    <>
      <NativeSelect
        label={LABELS.rotates}
        data={[
          { value: "no", label: rotationTexts.allTogether },
          { value: "yes", label: rotationTexts.inTurns },
        ]}
        {...field("rotates")}
      />
      {form.getValues().rotates === "no" ? (
        <PeopleField label={LABELS.userIds} description={t.allOfThemArePaged} {...field("userIds")} />
      ) : (
        <RotationFields values={form.getValues()} onChange={(changed) => form.setValues(changed as Partial<Values>)} />
      )}
      <NativeSelect
        label={LABELS.layer}
        description={rotationTexts.onlyTheHighest}
        data={Array.from({ length: 10 }, (_, layer) => String(layer))}
        {...field("layer")}
      />
    </>
  );
}

function DaysField(props: { value?: string[]; onChange: (days: string[]) => void; error?: ReactNode }) {
  return (
    <Checkbox.Group label={LABELS.daysOfWeek} description={t.aNightThatBeginsOn} {...props}>
      <div className="row shift-days">
        {Object.entries(DAYS).map(([value, label]) => (
          <Checkbox key={value} value={value} label={label} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

function newValues() {
  const timeZone = ownZone();
  const times = { startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon", "tue", "wed", "thu", "fri"] };
  const rotation = rotationValuesOf({ rotation: null, userIds: [], startTime: times.startTime });
  return {
    name: "",
    timeZone,
    ...times,
    userIds: [] as string[],
    validFrom: "",
    validUntil: "",
    layer: "0",
    ...rotation,
  };
}

type Values = ReturnType<typeof valuesOf>;

/** Returns the fields of the API. */
function fieldsOf(values: Values): NewShift {
  const { rotates, unit, every, startDate, handOverTime, turns, ...rest } = values;
  const { daysOfWeek, validFrom, validUntil, layer, userIds, ...plain } = rest;
  const rotation = rotationOf({ rotates, unit, every, startDate, handOverTime, turns });
  return {
    ...plain,
    ...(rotation ? {} : { userIds }),
    rotation,
    layer: Number(layer),
    daysOfWeek: daysOfWeek as NewShift["daysOfWeek"],
    validFrom: validFrom || null,
    validUntil: validUntil || null,
  };
}

function valuesOf(shift: Shift) {
  const { name, timeZone, startTime, endTime, daysOfWeek, userIds, validFrom, validUntil, layer } = shift;
  const rotation: RotationValues = rotationValuesOf(shift);
  const bounds = { validFrom: validFrom ?? "", validUntil: validUntil ?? "" };
  return {
    name,
    timeZone,
    startTime,
    endTime,
    daysOfWeek: [...daysOfWeek] as string[],
    userIds: [...userIds],
    layer: String(layer),
    ...rotation,
    ...bounds,
  };
}

function needed(value: string): string | null {
  return value === "" ? t.enterATime : null;
}

function lengthText(start: string, end: string): string {
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const length = (minutes(end) - minutes(start) + 1440) % 1440 || 1440;
  const next = minutes(end) <= minutes(start) && end !== "00:00" ? t.intoTheNextDay : "";
  return `${unitText(Number((length / 60).toFixed(2)), "hour")}${next}`;
}
