import { NativeSelect, TextInput } from "@mantine/core";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/devices.ts";
import { DEVICE_TYPES, type DeviceType } from "../../api/device-types.ts";
import { PacksField } from "../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { TopicsField, topicsIn } from "../../parts/topics-field.tsx";
import { silence } from "./silence.ts";

export type Fields = Pick<
  DeviceType,
  "name" | "publishTopics" | "subscribeTopics" | "silentForSeconds" | "thresholdIds"
>;
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
const NEW = { name: "", publishTopics: ["telemetry/{deviceId}"], subscribeTopics: [], silentForSeconds: null };
const LABELS = {
  name: common.name,
  publishTopics: common.publishesOn,
  subscribeTopics: t.subscribesTo,
  silentForSeconds: t.secondsOfSilence,
  thresholdIds: common.thresholdPacks,
};

/** The fields of a device type, for a new one and for a change. */
export function DeviceTypeForm(props: DeviceTypeFormProps) {
  const { operation, action, type, onSubmit, onClose, load, done } = props;
  const [form, field] = useFields(valuesOf(type ?? { ...NEW, thresholdIds: [] }), operation);
  const submit = ({ publishTopics, subscribeTopics, silentForSeconds, ...values }: typeof form.values) =>
    onSubmit({
      ...values,
      publishTopics: topicsIn(publishTopics),
      subscribeTopics: topicsIn(subscribeTopics),
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
      <TopicsField label={common.publishesOn} description={t.oneTopicPerLineBelow} {...field("publishTopics")} />
      <TopicsField
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
      <PacksField description={t.theyWatchEveryDeviceOf} {...field("thresholdIds")} />
    </Form>
  );
}

const shownValue = (_: string, value: unknown) =>
  Array.isArray(value) ? nouns.thresholdPack(value.length) : String(value);

function valuesOf({ name, publishTopics, subscribeTopics, silentForSeconds, thresholdIds }: Fields) {
  return {
    name,
    publishTopics: publishTopics.join("\n"),
    subscribeTopics: subscribeTopics.join("\n"),
    silentForSeconds: String(silentForSeconds ?? ""),
    thresholdIds,
  };
}
