import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { type CreatedTenant, createTenant } from "../../api/people/platform.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { Dialog, DialogActions } from "../../ui/input/dialog.tsx";
import { Secret } from "../../ui/input/secret.tsx";

interface CreateTenantProps {
  opened: boolean;
  onClose: () => void;
  onCreated: () => void;
}

/** Creates a tenant with its first administrator, whose password is shown once. */
export function CreateTenant({ opened, onClose, onCreated }: CreateTenantProps) {
  const [made, setMade] = useState<CreatedTenant>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog title={made ? made.name : "Create a tenant"} keep={made !== undefined} opened={opened} onClose={close}>
      {made ? (
        <>
          <Secret label={`First password of ${made.admin.email}`} value={made.admin.password} />
          <p>The administrator signs in with it and chooses another one.</p>
          <DialogActions>
            <Button onClick={close}>I have copied it</Button>
          </DialogActions>
        </>
      ) : (
        <Fields
          onCancel={close}
          onCreated={(tenant) => {
            setMade(tenant);
            onCreated();
          }}
        />
      )}
    </Dialog>
  );
}

function Fields({ onCancel, onCreated }: { onCancel: () => void; onCreated: (tenant: CreatedTenant) => void }) {
  const form = useForm({
    mode: "controlled",
    initialValues: { name: "", slug: "", adminEmail: "" },
    validate: rulesOf("createTenant", ["name", "slug", "adminEmail"]),
  });
  return (
    <Form
      form={form}
      onSubmit={async (values) => onCreated(await createTenant(values))}
      action="Create tenant"
      onCancel={onCancel}
    >
      <TextInput label="Name" placeholder="Acme Pumps" data-autofocus {...form.getInputProps("name")} />
      <TextInput
        label="Topic segment"
        description="Of a-z, 0-9 and dash; it never changes."
        placeholder="acme"
        spellCheck={false}
        {...form.getInputProps("slug")}
      />
      <TextInput label="E-mail address of the first administrator" type="email" {...form.getInputProps("adminEmail")} />
    </Form>
  );
}
