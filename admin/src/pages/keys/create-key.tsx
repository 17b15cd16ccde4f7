import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { createKey } from "../../api/keys.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { useSession } from "../../parts/session.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { ScopeMatrix } from "./scope-matrix.tsx";
import { ShowKey } from "./show-key.tsx";

interface CreateKeyProps {
  opened: boolean;
  onClose: () => void;
  onCreated: () => void;
}

interface Made {
  value: string;
  scopes: readonly string[];
}

/** Creates an API key and shows it once, with a request that uses it. */
export function CreateKey({ opened, onClose, onCreated }: CreateKeyProps) {
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog
      title={made ? "The new API key" : "Create an API key"}
      wide
      keep={made !== undefined}
      opened={opened}
      onClose={close}
    >
      {made ? (
        <ShowKey {...made} onDone={close} />
      ) : (
        <Fields
          onCancel={close}
          onCreated={(created) => {
            setMade(created);
            onCreated();
          }}
        />
      )}
    </Dialog>
  );
}

const DAYS: readonly (readonly [days: string, label: string])[] = [
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
  ["", "never"],
];

function Fields({ onCancel, onCreated }: { onCancel: () => void; onCreated: (made: Made) => void }) {
  const { user } = useSession();
  const form = useForm({
    mode: "controlled",
    initialValues: { name: "", expiresInDays: "90", scopes: [] as string[] },
    validate: {
      ...rulesOf("createKey", ["name"]),
      scopes: (scopes) => (scopes.length === 0 ? "Choose at least one scope." : null),
    },
  });
  const submit = async ({ name, expiresInDays, scopes }: typeof form.values) => {
    const days = expiresInDays === "" ? {} : { expiresInDays: Number(expiresInDays) };
    const { key } = await createKey({ name, scopes, ...days });
    onCreated({ value: key, scopes });
  };
  return (
    <Form form={form} onSubmit={submit} action="Create API key" onCancel={onCancel}>
      <TextInput label="Name" placeholder="Dashboard" data-autofocus {...form.getInputProps("name")} />
      <NativeSelect
        label="Expires"
        data={DAYS.map(([value, label]) => ({ value, label }))}
        {...form.getInputProps("expiresInDays")}
      />
      <ScopeMatrix {...form.getInputProps("scopes")} />
      <p className="soft">
        The key is yours: it ends when the account {user.email} is deactivated or deleted, or has its password reset.
      </p>
    </Form>
  );
}
