import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { GroupChannel } from "../../api/people/group-channels.ts";
import type { Group } from "../../api/people/groups.ts";
import { Problem } from "../../api/problem.ts";
import type { Versioned } from "../../api/versioned.ts";
import { Form } from "../../parts/form/form.tsx";
import { CHANNEL_TYPES } from "../../words/on-call.ts";
import { useGroupEdit } from "./use-group-edit.ts";

type Values = Pick<GroupChannel, "type" | "target">;

const TYPES = Object.entries(CHANNEL_TYPES).map(([value, label]) => ({ value, label }));

/** Adds an address to the channels of a group. */
export function AddChannel({ opened, onClose }: { opened: Versioned<Group>; onClose: () => void }) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: { type: "email", target: "" },
    validate: { target: (value) => (value.trim() === "" ? "Enter a value." : null) },
  });
  const submit = async ({ type, target }: Values) => {
    try {
      await save({ channels: [...record.channels, { type, target: target.trim() }] });
    } catch (reason) {
      throw atTarget(reason);
    }
  };
  // The other channels may have changed: what is typed here is added to those that there are then.
  const conflict = {
    load: async () => {
      await load();
      return form.getInitialValues();
    },
    labels: { type: "Kind", target: "Address" },
  };
  const isMail = form.getValues().type === "email";
  return (
    <Form form={form} onSubmit={submit} action="Add channel" onCancel={onClose} conflict={conflict}>
      <NativeSelect label="Kind" data={TYPES} {...form.getInputProps("type")} />
      <TextInput
        label="Address"
        description={
          isMail
            ? "One mailbox. Its receiver gets a link to confirm; the address of a user needs none."
            : "An https address that receives a POST. It answers the first one with its challenge, or a person opens the link in it."
        }
        placeholder={isMail ? "pumps@acme.example" : "https://hooks.acme.example/pumps"}
        data-autofocus
        {...form.getInputProps("target")}
      />
    </Form>
  );
}

/** The service names the place in the list of channels, which is this form's one field. */
function atTarget(reason: unknown): unknown {
  if (!(reason instanceof Problem) || !reason.body.detail?.includes("channels")) return reason;
  return new Problem(reason.status, { ...reason.body, detail: "target" }, reason.retryAfterSeconds);
}
