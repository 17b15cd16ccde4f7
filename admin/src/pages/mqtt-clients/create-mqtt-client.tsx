import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { createMqttClient } from "../../api/broker/mqtt-clients.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { useSession } from "../../parts/session.ts";
import { TopicsField, topicsIn } from "../../parts/topics-field.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { type Credentials, ShowCredentials } from "./show-credentials.tsx";

interface CreateMqttClientProps {
  opened: boolean;
  onClose: () => void;
  onCreated: () => void;
}

/** Registers an MQTT client and shows its password once. */
export function CreateMqttClient({ opened, onClose, onCreated }: CreateMqttClientProps) {
  const [credentials, setCredentials] = useState<Credentials>();
  const close = () => {
    setCredentials(undefined);
    onClose();
  };
  return (
    <Dialog
      title={credentials ? `MQTT client ${credentials.clientId}` : "Register an MQTT client"}
      wide
      keep={credentials !== undefined}
      opened={opened}
      onClose={close}
    >
      {credentials ? (
        <ShowCredentials credentials={credentials} onDone={close} />
      ) : (
        <Fields
          onCancel={close}
          onCreated={(made) => {
            setCredentials(made);
            onCreated();
          }}
        />
      )}
    </Dialog>
  );
}

function Fields({ onCancel, onCreated }: { onCancel: () => void; onCreated: (made: Credentials) => void }) {
  const { tenant } = useSession();
  const prefix = `t/${tenant.slug}/`;
  const form = useForm({
    mode: "controlled",
    initialValues: { clientId: "", username: "", publish: "", subscribe: `${prefix}telemetry/+` },
    validate: rulesOf("createMqttClient", ["clientId", "username"]),
  });
  const submit = async (values: typeof form.values) => {
    const topics = { publish: topicsIn(values.publish), subscribe: topicsIn(values.subscribe) };
    const made = await createMqttClient({ clientId: values.clientId, username: values.username, ...topics });
    onCreated({ ...made, ...topics });
  };
  return (
    <Form form={form} onSubmit={submit} action="Register" onCancel={onCancel}>
      <TextInput
        label="Client id"
        description="It belongs to this client from then on; no device can have it."
        placeholder="scada-gateway"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps("clientId")}
      />
      <TextInput
        label="User name"
        placeholder="scada"
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps("username")}
      />
      <TopicsField
        label="Subscribes to"
        description={`Topic filters, one in a line, below ${prefix}`}
        {...form.getInputProps("subscribe")}
      />
      <TopicsField
        label="Publishes on"
        description={`Topics, one in a line, below ${prefix}; whole, without wildcards`}
        placeholder={`${prefix}commands/pump-1`}
        {...form.getInputProps("publish")}
      />
    </Form>
  );
}
