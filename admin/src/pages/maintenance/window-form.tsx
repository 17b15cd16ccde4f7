import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/maintenance.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { createWindow, type MaintenanceWindow, type NewWindow, WINDOWS } from "../../api/people/windows.ts";
import { instantOf, localMinute } from "../../parts/filter-values.ts";
import { DevicesField } from "../../parts/form/device-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { useSession } from "../../parts/session.ts";
import { timeZonesWith } from "../../ui/display/time-zones.ts";
import { ownZone } from "../../ui/ui.ts";
import { DAYS } from "../../words/on-call.ts";

/** The beginnings of the addresses of everything that depends on windows. */
export const OF_WINDOWS = [WINDOWS];

const HOUR_MS = 3_600_000;
const CHOICES = [
  { value: "devices", label: t.named },
  { value: "group", label: t.group },
  { value: "deviceType", label: t.deviceType },
  { value: "all", label: t.all },
];
const TIMES = [
  { value: "once", label: t.once },
  { value: "weekly", label: t.recurs },
];

const newValues = () => ({
  name: "",
  covers: "group" as string,
  groupId: "",
  deviceTypeId: "",
  deviceIds: [] as string[],
  takesPlace: "once" as string,
  startsAt: "",
  endsAt: localMinute(Date.now() + HOUR_MS),
  daysOfWeek: ["sat"] as string[],
  startTime: "22:00",
  endTime: "04:00",
  timeZone: ownZone(),
  holdsCritical: false,
});
type Values = ReturnType<typeof newValues>;

/** Plans a window. Operators choose among their groups and the devices that they see. */
export function WindowForm({ onClose }: { onClose: () => void }) {
  const [form, field] = useFields<Values>(newValues(), "createMaintenanceWindow", {
    groupId: (id, { covers }) => (covers === "group" && id === "" ? t.chooseGroup : null),
    deviceTypeId: (id, { covers }) => (covers === "deviceType" && id === "" ? t.chooseType : null),
    deviceIds: (ids, { covers }) => (covers === "devices" && ids.length === 0 ? t.chooseDevices : null),
    startsAt: () => null,
    endsAt: (text, { takesPlace }) => (takesPlace === "once" && text === "" ? t.enterATime : null),
    daysOfWeek: (days, { takesPlace }) => (takesPlace === "weekly" && days.length === 0 ? t.chooseADay : null),
  });
  const { takesPlace, timeZone } = form.getValues();
  return (
    <Form<Values, MaintenanceWindow>
      form={form}
      onSubmit={(values) => createWindow(bodyOf(values))}
      action={t.plan}
      onCancel={onClose}
      onDone={onClose}
      done={({ name }) => t.planned(name)}
      refreshes={OF_WINDOWS}
    >
      <TextInput label={common.name} placeholder={t.name} data-autofocus {...field("name")} />
      <CoveredFields values={form.getValues()} field={field} />
      <NativeSelect label={t.takesPlace} data={TIMES} {...field("takesPlace")} />
      {takesPlace === "once" && (
        <>
          <TextInput type="datetime-local" label={t.begins} description={t.emptyIsNow} {...field("startsAt")} />
          <TextInput type="datetime-local" label={t.ends} {...field("endsAt")} />
        </>
      )}
      {takesPlace === "weekly" && (
        <>
          <div className="row">
            <TextInput type="time" label={t.from} {...field("startTime")} />
            <TextInput type="time" label={t.until} {...field("endTime")} />
          </div>
          <Checkbox.Group label={t.beginsOn} description={t.nextDay} {...field("daysOfWeek")}>
            <div className="row">
              {Object.entries(DAYS).map(([value, label]) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </div>
          </Checkbox.Group>
          <NativeSelect
            label={t.timeZone}
            description={t.followsTheClock}
            data={timeZonesWith(timeZone)}
            {...field("timeZone")}
          />
        </>
      )}
      <Checkbox
        label={t.holdCritical}
        checked={form.getValues().holdsCritical}
        onChange={(event) => form.setFieldValue("holdsCritical", event.currentTarget.checked)}
      />
    </Form>
  );
}

type Field = ReturnType<typeof useFields<Values>>[1];

/** Chooses the devices that the window covers. Only admins may choose all devices or those of a type. */
function CoveredFields({ values: { covers }, field }: { values: Values; field: Field }) {
  const isAdmin = useSession().user.role === "admin";
  const groups = useQuery({ ...groupChoicesQuery(), enabled: covers === "group" }).data?.items ?? [];
  const types = useQuery({ ...deviceTypesQuery, enabled: covers === "deviceType" }).data?.items ?? [];
  const choices = isAdmin ? CHOICES : CHOICES.slice(0, 2);
  const named = (items: readonly { id: string; name: string }[]) => [
    { value: "", label: "" },
    ...items.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <>
      <NativeSelect label={t.covers} data={choices} {...field("covers")} />
      {covers === "group" && <NativeSelect label={common.group} data={named(groups)} {...field("groupId")} />}
      {covers === "deviceType" && <NativeSelect label={common.type} data={named(types)} {...field("deviceTypeId")} />}
      {covers === "devices" && <DevicesField label={common.devices} {...field("deviceIds")} />}
    </>
  );
}

function bodyOf(values: Values): NewWindow {
  const { name, groupId, deviceTypeId, deviceIds, holdsCritical } = values;
  const covers = values.covers as NewWindow["covers"];
  const body = {
    name,
    covers,
    holdsCritical,
    ...(covers === "group" && { groupId }),
    ...(covers === "deviceType" && { deviceTypeId }),
    ...(covers === "devices" && { deviceIds }),
  };
  if (values.takesPlace === "once")
    return { ...body, startsAt: instantOf(values.startsAt) ?? null, endsAt: instantOf(values.endsAt)! };
  const { startTime, endTime, timeZone } = values;
  const daysOfWeek = values.daysOfWeek as NonNullable<NewWindow["recurrence"]>["daysOfWeek"];
  return { ...body, recurrence: { startTime, endTime, timeZone, daysOfWeek } };
}
