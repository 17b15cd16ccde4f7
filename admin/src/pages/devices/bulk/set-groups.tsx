import { NativeSelect } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Schemas } from "../../../api/client.ts";
import { useBulk } from "../../../parts/bulk/use-bulk.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { GroupsField } from "../../../parts/form/groups-field.tsx";
import { plural } from "../../../ui/display/format.ts";
import { Dialog } from "../../../ui/input/dialog.tsx";

interface SetGroupsProps {
  opened: boolean;
  ids: readonly string[];
  onClose: () => void;
  onDone: (outcome: Schemas["BulkOutcome"]) => void;
}

/** Adds the devices to groups, or removes them from some. */
export function SetGroups({ opened, onClose, ids, onDone }: SetGroupsProps) {
  return (
    <Dialog title={`Change the groups of ${plural(ids.length, "device")}`} opened={opened} onClose={onClose}>
      <SetGroupsForm ids={ids} onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

function SetGroupsForm({ ids, onClose, onDone }: Omit<SetGroupsProps, "opened">) {
  const bulk = useBulk();
  const form = useForm({ mode: "controlled", initialValues: { act: "add", groupIds: [] as string[] } });
  const { act, groupIds } = form.values;
  const submit = async () => {
    const change = act === "add" ? { addGroupIds: groupIds } : { removeGroupIds: groupIds };
    onDone(await bulk.run(ids, { act: "change", change }));
  };
  const count = plural(ids.length, "device");
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={act === "add" ? `Add ${count}` : `Remove ${count}`}
      onCancel={onClose}
      blocked={groupIds.length === 0 ? "Choose a group." : undefined}
    >
      <NativeSelect
        label="What to do"
        data-autofocus
        data={[
          { value: "add", label: "add to the groups" },
          { value: "remove", label: "remove from the groups" },
        ]}
        {...form.getInputProps("act")}
      />
      <GroupsField
        label="Groups"
        description="Their members see the devices and are notified of their anomalies. Without a group only administrators see a device."
        {...form.getInputProps("groupIds")}
      />
      {bulk.shown}
    </Form>
  );
}
