import { Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Conflict } from "../../parts/form/conflict.tsx";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";

export type GroupNaming = Record<"name" | "description", string>;

interface GroupFormProps {
  operation: "createGroup" | "updateGroup";
  action: string;
  group?: GroupNaming;
  onSubmit: (fields: GroupNaming) => Promise<unknown>;
  onCancel: () => void;
  /** Reads the group as it is now, when another user was faster. */
  load?: () => Promise<GroupNaming>;
}

const LABELS: Conflict<GroupNaming>["labels"] = { name: "Name", description: "Description" };

/** What a group is called. Who is in it, and whom it pages, are changed on its screen. */
export function GroupForm({ operation, action, group, onSubmit, onCancel, load }: GroupFormProps) {
  const form = useForm<GroupNaming>({
    mode: "controlled",
    initialValues: { name: group?.name ?? "", description: group?.description ?? "" },
    validate: rulesOf(operation, ["name", "description"]),
  });
  return (
    <Form
      form={form}
      onSubmit={onSubmit}
      action={action}
      onCancel={onCancel}
      {...(load ? { conflict: { load, labels: LABELS } } : {})}
    >
      <TextInput label="Name" placeholder="Pump hall" data-autofocus {...form.getInputProps("name")} />
      <Textarea label="Description" rows={3} {...form.getInputProps("description")} />
    </Form>
  );
}
