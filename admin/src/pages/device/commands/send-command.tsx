import { NativeSelect, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { COMMANDS, sendCommand } from "../../../api/broker/commands.ts";
import type { Schemas } from "../../../api/client.ts";
import { deviceTypesQuery } from "../../../api/device-types.ts";
import { Form } from "../../../parts/form/form.tsx";
import { rulesOf } from "../../../parts/form/rules.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { useSession } from "../../../parts/session.ts";
import { toast } from "../../../parts/toasts.tsx";
import { useRefresh } from "../../../parts/use-refresh.ts";
import { Dialog } from "../../../ui/input/dialog.tsx";

const HOUR = 60;
const WAITS = [
  { value: String(HOUR), label: "1 hour" },
  { value: String(24 * HOUR), label: "1 day" },
  { value: String(7 * 24 * HOUR), label: "7 days" },
];

interface SendCommandProps {
  device: Schemas["Device"];
  opened: boolean;
  onClose: () => void;
}

/** Queues a message for the device. */
export function SendCommand({ device, opened, onClose }: SendCommandProps) {
  const { tenant } = useSession();
  const types = useQuery({ ...deviceTypesQuery, enabled: opened });
  return (
    <Dialog title={`Send a command to ${device.name}`} wide opened={opened} onClose={onClose}>
      <Loaded query={types}>
        {({ items }) => {
          const type = items.find(({ id }) => id === device.deviceTypeId);
          const templates = type?.subscribeTopics ?? [];
          if (templates.length === 0) return <NoTopic type={type} />;
          const topics = templates.map((each) => `t/${tenant.slug}/${each.replaceAll("{deviceId}", device.id)}`);
          return <Fields device={device} topics={topics} onClose={onClose} />;
        }}
      </Loaded>
    </Dialog>
  );
}

interface FieldsProps {
  device: Schemas["Device"];
  topics: readonly string[];
  onClose: () => void;
}

function Fields({ device, topics, onClose }: FieldsProps) {
  const refresh = useRefresh();
  const form = useForm({
    mode: "controlled",
    initialValues: { topic: topics[0] ?? "", payload: "", minutes: String(24 * HOUR) },
    validate: rulesOf("sendCommand", ["topic", "payload"]),
  });
  const submit = async ({ topic, payload, minutes }: typeof form.values) => {
    await sendCommand(device.id, { topic, payload, expiresInMinutes: Number(minutes) });
    await refresh(COMMANDS);
    toast("The command waits for the device.");
    onClose();
  };
  return (
    <Form form={form} onSubmit={submit} action="Send" onCancel={onClose}>
      <NativeSelect
        label="Topic"
        description="The device subscribes to it with QoS 1 or 2."
        data={[...topics]}
        {...form.getInputProps("topic")}
      />
      <Textarea
        label="Payload"
        description="As text"
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        data-autofocus
        {...form.getInputProps("payload")}
      />
      <NativeSelect label="Waits for the device for" data={WAITS} {...form.getInputProps("minutes")} />
    </Form>
  );
}

function NoTopic({ type }: { type: Schemas["DeviceType"] | undefined }) {
  if (!type) return <p>The device has no device type, so there is no topic that it may subscribe to.</p>;
  return (
    <>
      <p>
        The device type <a href={`/device-types/${type.id}`}>{type.name}</a> lists no topic that its devices may
        subscribe to: add one to it first.
      </p>
      <p>
        Then have the device renew its certificate, or issue a new bundle for it: the topics of a certificate never
        change.
      </p>
    </>
  );
}
