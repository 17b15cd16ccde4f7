import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { addOwnChannel, OWN_NOTIFICATIONS, type OwnChannel } from "../../../api/people/own-notifications.ts";
import { Form } from "../../../parts/form/form.tsx";
import { toast } from "../../../parts/toasts.tsx";
import { useRefresh } from "../../../parts/use-refresh.ts";
import { DialogActions } from "../../../ui/input/dialog.tsx";
import { Secret } from "../../../ui/input/secret.tsx";
import { CHANNEL_TYPES } from "../../../words/on-call.ts";

type Values = Pick<OwnChannel, "type" | "target">;

const TYPES = Object.entries(CHANNEL_TYPES).map(([value, label]) => ({ value, label }));

/** Adds an address of the user's own; the secret of a webhook is shown once. */
export function AddOwnChannel({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const refresh = useRefresh();
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: { type: "email", target: "" },
    validate: { target: (value) => (value.trim() === "" ? "Enter a value." : null) },
  });
  const submit = async ({ type, target }: Values) => {
    const added = await addOwnChannel({ type, target: target.trim() });
    await refresh(OWN_NOTIFICATIONS);
    if (added.secret !== null) return setSecret(added.secret);
    toast("Its receiver gets a link to confirm it.");
    onClose();
  };
  const isMail = form.getValues().type === "email";
  if (secret !== undefined)
    return (
      <div className="stack">
        <Secret label="Signing secret" value={secret}>
          <p>Messages to this webhook are signed with it (Standard Webhooks), so that the receiver can verify them.</p>
        </Secret>
        <DialogActions>
          <Button onClick={onClose}>Done</Button>
        </DialogActions>
      </div>
    );
  return (
    <Form form={form} onSubmit={submit} action="Add channel" onCancel={onClose}>
      <NativeSelect label="Kind" data={TYPES} {...form.getInputProps("type")} />
      <TextInput
        label="Address"
        description={
          isMail
            ? "One mailbox. It gets a link; open it to confirm."
            : "An https address that receives a POST. It answers the first one with its challenge, or you open the link in it."
        }
        placeholder={isMail ? "ada@home.example" : "https://hooks.home.example/ada"}
        data-autofocus
        {...form.getInputProps("target")}
      />
    </Form>
  );
}
