import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import {
  type NotificationChoices,
  OWN_NOTIFICATIONS,
  type OwnNotifications,
  setOwnNotifications,
} from "../../../api/people/own-notifications.ts";
import { Form } from "../../../parts/form/form.tsx";
import { timeZones } from "../../../parts/form/time-zones.ts";
import { toast } from "../../../parts/toasts.tsx";
import { useRefresh } from "../../../parts/use-refresh.ts";

type Values = Record<"accountEmail" | "quiet" | "onlyOnShift" | "criticalToo", boolean> &
  Record<"startTime" | "endTime" | "timeZone", string>;

/** When the user wants no pages, within what groups always send. */
export function QuietChoices({ own }: { own: OwnNotifications }) {
  const refresh = useRefresh();
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: valuesOf(own),
    validate: {
      startTime: (value, { quiet }) => (quiet && value === "" ? "Enter a time." : null),
      endTime: (value, { quiet, startTime }) => {
        if (!quiet) return null;
        if (value === "") return "Enter a time.";
        return value === startTime ? "Quiet hours must begin and end at different times." : null;
      },
    },
  });
  const submit = async (values: Values) => {
    await setOwnNotifications(choicesOf(values));
    form.resetDirty();
    toast("Saved.");
    await refresh(OWN_NOTIFICATIONS);
  };
  const { quiet, onlyOnShift, timeZone } = form.getValues();
  const check = (name: "accountEmail" | "quiet" | "onlyOnShift" | "criticalToo") =>
    form.getInputProps(name, { type: "checkbox" });
  return (
    <Form form={form} onSubmit={submit} action="Save choices">
      <Checkbox
        label={`Messages to ${own.email}`}
        description="Without a confirmed channel they go there in any case."
        {...check("accountEmail")}
      />
      <Checkbox label="Quiet hours, every day" {...check("quiet")} />
      {quiet && (
        <>
          <div className="row">
            <TextInput type="time" label="From" {...form.getInputProps("startTime")} />
            <TextInput type="time" label="Until" {...form.getInputProps("endTime")} />
          </div>
          <NativeSelect label="Time zone" data={timeZones(timeZone)} {...form.getInputProps("timeZone")} />
        </>
      )}
      <Checkbox
        label="Page me only while I am on duty"
        description="Of each group: on one of its shifts."
        {...check("onlyOnShift")}
      />
      {(quiet || onlyOnShift) && (
        <Checkbox
          label="Hold back critical pages as well"
          description="Only those of groups that allow it; the others are always sent."
          {...check("criticalToo")}
        />
      )}
      <p className="soft">
        What is held back is in the list of messages. It is sent when the quiet hours end or your next duty begins, if
        the anomaly is still open. Where no other user gets the page, the next step of escalation follows at once.
      </p>
    </Form>
  );
}

function valuesOf({ accountEmail, quietHours, onlyOnShift, criticalToo }: NotificationChoices): Values {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const hours = quietHours ?? { startTime: "22:00", endTime: "06:00", timeZone };
  return { accountEmail, onlyOnShift, criticalToo, quiet: quietHours !== null, ...hours };
}

function choicesOf(values: Values): NotificationChoices {
  const { accountEmail, quiet, onlyOnShift, criticalToo, startTime, endTime, timeZone } = values;
  const quietHours = quiet ? { startTime, endTime, timeZone } : null;
  return { accountEmail, quietHours, onlyOnShift, criticalToo: criticalToo && (quiet || onlyOnShift) };
}
