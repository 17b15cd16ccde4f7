import { NativeSelect } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useBulk } from "../../../parts/bulk/use-bulk.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { plural } from "../../../ui/display/format.ts";
import { Dialog } from "../../../ui/input/dialog.tsx";
import type { BulkDialog } from "./add-or-remove.tsx";

interface SetTypeProps extends BulkDialog {
  types: readonly { id: string; name: string }[];
}

/** Gives the devices another type. */
export function SetType({ opened, onClose, ids, ...props }: SetTypeProps) {
  return (
    <Dialog title={`Set the type of ${plural(ids.length, "device")}`} opened={opened} onClose={onClose}>
      <SetTypeForm ids={ids} onClose={onClose} {...props} />
    </Dialog>
  );
}

function SetTypeForm({ ids, types, onClose, onDone }: Omit<SetTypeProps, "opened">) {
  const bulk = useBulk();
  const form = useForm({ mode: "controlled", initialValues: { deviceTypeId: types[0]?.id ?? "" } });
  const submit = async ({ deviceTypeId }: { deviceTypeId: string }) => {
    onDone(await bulk.run(ids, { act: "change", change: { deviceTypeId: deviceTypeId || null } }));
  };
  return (
    <Form form={form} onSubmit={submit} action={`Set type of ${plural(ids.length, "device")}`} onCancel={onClose}>
      <p>
        Their live certificates keep the topics with which they were issued. A renewal, or a new bundle, gets those of
        the type.
      </p>
      <NativeSelect
        label="Type"
        data-autofocus
        data={[
          ...types.map(({ id, name }) => ({ value: id, label: name })),
          { value: "", label: "none: their next certificates may publish nowhere" },
        ]}
        {...form.getInputProps("deviceTypeId")}
      />
      {bulk.shown}
    </Form>
  );
}
