import { NativeSelect, TextInput } from "@mantine/core";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/devices.ts";
import { t as payloads } from "#texts/payloads.ts";
import { DEVICE_TYPES } from "../../api/device-types.ts";
import { PacksField } from "../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { LinesField, linesIn } from "../../parts/lines-field.tsx";
import { type Fields, valuesOf } from "./device-type-values.ts";
import { MetricFields } from "./metric-fields.tsx";
import { METRIC_RULES, metricSettings } from "./metric-values.ts";
import { silence } from "./silence.ts";

interface DeviceTypeFormProps {
  operation: "createDeviceType" | "updateDeviceType";
  action: string;
  /** Absent for a new type. */
  type?: Fields;
  onSubmit: (fields: Fields) => Promise<Fields>;
  onClose: () => void;
  done: string | ((type: Fields) => string);
  /** Reads the present version, when another user was faster. */
  load?: () => Promise<Fields>;
}
const SECONDS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];
const NEW: Fields = {
  name: "",
  publishTopics: ["telemetry/{deviceId}"],
  subscribeTopics: [],
  silentForSeconds: null,
  thresholdIds: [],
  payloadFormat: "auto",
  metrics: [],
};
const FORMATS = Object.entries(payloads.formats).map(([value, label]) => ({ value, label }));
const LABELS = {
  name: common.name,
  publishTopics: common.publishesOn,
  subscribeTopics: t.subscribesTo,
  silentForSeconds: t.secondsOfSilence,
  thresholdIds: common.thresholdPacks,
  payloadFormat: payloads.payloadFormat,
  metrics: payloads.metrics,
};

/** The fields of a device type, for a new one and for a change. */
export function DeviceTypeForm(props: DeviceTypeFormProps) {
  const { operation, action, type, onSubmit, onClose, load, done } = props;
  const [form, field] = useFields(valuesOf(type ?? NEW), operation, { metrics: METRIC_RULES as never });
  const submit = ({ publishTopics, subscribeTopics, silentForSeconds, metrics, ...values }: typeof form.values) =>
    onSubmit({
      ...values,
      metrics: metricSettings(metrics, values.payloadFormat),
      publishTopics: linesIn(publishTopics),
      subscribeTopics: linesIn(subscribeTopics),
      silentForSeconds: silentForSeconds === "" ? null : Number(silentForSeconds),
    });
  const own = type?.silentForSeconds;
  const choices = own && !SECONDS.includes(own) ? [...SECONDS, own].sort((a, b) => a - b) : SECONDS;
  const conflict = load && { load: async () => valuesOf(await load()), labels: LABELS, show: shownValue };
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={action}
      onCancel={onClose}
      conflict={conflict}
      done={done}
      refreshes={[DEVICE_TYPES]}
      onDone={onClose}
    >
      <TextInput label={common.name} data-autofocus {...field("name")} />
      <LinesField label={common.publishesOn} description={t.oneTopicPerLineBelow} {...field("publishTopics")} />
      <LinesField
        label={t.subscribesTo}
        description={t.forCommandsToTheDevice}
        placeholder={t.commandsDeviceid}
        {...field("subscribeTopics")}
      />
      <NativeSelect
        label={t.silentForAtMost}
        description={t.aDeviceThatSendsNothing}
        data={[
          { value: "", label: t.anyTime },
          ...choices.map((seconds) => ({ value: String(seconds), label: silence(seconds) })),
        ]}
        {...field("silentForSeconds")}
      />
      <NativeSelect
        label={payloads.payloadFormat}
        description={payloads.howPayloadsAreDecoded}
        data={FORMATS}
        {...field("payloadFormat")}
      />
      <MetricFields form={form} />
      <PacksField description={t.theyWatchEveryDeviceOf} {...field("thresholdIds")} />
    </Form>
  );
}

function shownValue(field: string, value: unknown): string {
  if (field === "metrics") return (value as Fields["metrics"]).map(({ metric }) => metric).join(", ");
  return Array.isArray(value) ? nouns.thresholdPack(value.length) : String(value);
}
