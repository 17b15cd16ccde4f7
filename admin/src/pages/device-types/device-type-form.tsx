import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { DeviceType } from "../../api/device-types.ts";
import { Form } from "../../parts/form/form.tsx";
import { PacksField } from "../../parts/form/packs-field.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { TopicsField, topicsIn } from "../../parts/topics-field.tsx";
import { plural } from "../../ui/display/format.ts";
import { silence } from "./silence.ts";

type Fields = Pick<DeviceType, "name" | "publishTopics" | "subscribeTopics" | "silentForSeconds" | "thresholdIds">;

interface DeviceTypeFormProps {
  operation: "createDeviceType" | "updateDeviceType";
  action: string;
  /** Absent for a new one. */
  type?: Fields;
  onSubmit: (fields: Fields) => Promise<unknown>;
  onCancel: () => void;
  /** Reads the type as it is now, when another user was faster. */
  load?: () => Promise<Fields>;
}

const SECONDS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];

/** The fields of a device type, for a new one and for a change. */
export function DeviceTypeForm({ operation, action, type, onSubmit, onCancel, load }: DeviceTypeFormProps) {
  const form = useForm({
    mode: "controlled",
    initialValues: type ? valuesOf(type) : NEW,
    validate: rulesOf(operation, ["name"]),
  });
  const submit = (values: typeof form.values) =>
    onSubmit({
      name: values.name,
      publishTopics: topicsIn(values.publishTopics),
      subscribeTopics: topicsIn(values.subscribeTopics),
      thresholdIds: values.thresholdIds,
      silentForSeconds: values.silentForSeconds === "" ? null : Number(values.silentForSeconds),
    });
  const own = type?.silentForSeconds;
  const choices = own && !SECONDS.includes(own) ? [...SECONDS, own].sort((a, b) => a - b) : SECONDS;
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={action}
      onCancel={onCancel}
      {...(load ? { conflict: { load: async () => valuesOf(await load()), labels: LABELS, show: shownValue } } : {})}
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
      <TopicsField
        label="Publishes on"
        description="One topic per line, below the tenant's prefix. {deviceId} stands for the id of the device."
        {...form.getInputProps("publishTopics")}
      />
      <TopicsField
        label="Subscribes to"
        description="For commands to the device; may be empty."
        placeholder="commands/{deviceId}"
        {...form.getInputProps("subscribeTopics")}
      />
      <NativeSelect
        label="Silent for at most"
        description="A device that sends nothing for longer opens an anomaly."
        data={[
          { value: "", label: "any time" },
          ...choices.map((seconds) => ({ value: String(seconds), label: silence(seconds) })),
        ]}
        {...form.getInputProps("silentForSeconds")}
      />
      <PacksField description="They watch every device of the type." {...form.getInputProps("thresholdIds")} />
    </Form>
  );
}

type Values = Record<"name" | "publishTopics" | "subscribeTopics" | "silentForSeconds", string> & {
  thresholdIds: string[];
};

const NEW: Values = {
  name: "",
  publishTopics: "telemetry/{deviceId}",
  subscribeTopics: "",
  silentForSeconds: "",
  thresholdIds: [],
};

const LABELS: Record<keyof Values, string> = {
  name: "Name",
  publishTopics: "Publishes on",
  subscribeTopics: "Subscribes to",
  silentForSeconds: "Seconds of silence",
  thresholdIds: "Threshold packs",
};

const shownValue = (_: string, value: unknown) =>
  Array.isArray(value) ? plural(value.length, "threshold pack") : String(value);

function valuesOf({ name, publishTopics, subscribeTopics, silentForSeconds, thresholdIds }: Fields): Values {
  return {
    name,
    publishTopics: publishTopics.join("\n"),
    subscribeTopics: subscribeTopics.join("\n"),
    silentForSeconds: String(silentForSeconds ?? ""),
    thresholdIds,
  };
}
