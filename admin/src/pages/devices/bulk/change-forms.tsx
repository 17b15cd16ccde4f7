import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schemas } from "../../../api/client.ts";
import { useBulk } from "../../../parts/bulk/use-bulk.tsx";
import type { ChosenIds } from "../../../parts/form/choices-field.tsx";
import { GroupsField, PacksField } from "../../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../../parts/form/form.tsx";
import { plural } from "../../../ui/ui.ts";

interface BulkForm {
  ids: readonly string[];
  onClose: () => void;
  onDone: (outcome: Schemas["BulkOutcome"]) => void;
}

export function TypeForm({
  ids,
  types,
  onClose,
  onDone,
}: BulkForm & { types: readonly { id: string; name: string }[] }) {
  const bulk = useBulk();
  const [form, field] = useFields({ deviceTypeId: types[0]?.id ?? "" });
  const submit = async ({ deviceTypeId }: typeof form.values) =>
    onDone(await bulk.run(ids, { act: "change", change: { deviceTypeId: deviceTypeId || null } }));
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
        {...field("deviceTypeId")}
      />
      {bulk.shown}
    </Form>
  );
}

type Act = "add" | "remove";
/** A kind of records that can be added to devices or removed from them. */
interface Added {
  acts: Record<Act, string>;
  /** The label of the button, before the number of devices. */
  actions: Record<Act, string>;
  /** The reason why the button is disabled while nothing is chosen. */
  unchosen: string;
  change: (act: Act, chosen: string[]) => Schemas["DeviceChange"];
  field: (props: Pick<ChosenIds, "value" | "onChange" | "error">) => ReactNode;
}

const GROUPS: Added = {
  acts: { add: "add to the groups", remove: "remove from the groups" },
  actions: { add: "Add", remove: "Remove" },
  unchosen: "Choose a group.",
  change: (act, chosen) => (act === "add" ? { addGroupIds: chosen } : { removeGroupIds: chosen }),
  field: (props) => (
    <GroupsField
      label="Groups"
      description="Their members see the devices and are notified of their anomalies. Without a group only administrators see a device."
      {...props}
    />
  ),
};
const PACKS: Added = {
  acts: { add: "watch the devices with the packs", remove: "no longer watch them with the packs" },
  actions: { add: "Watch", remove: "Stop watching" },
  unchosen: "Choose a pack.",
  change: (act, chosen) => (act === "add" ? { addThresholdIds: chosen } : { removeThresholdIds: chosen }),
  field: (props) => (
    <PacksField description="Packs of the device type go on to watch a device, whatever is chosen here." {...props} />
  ),
};

/** Adds the devices to groups, or removes them from groups. */
export const GroupsForm = (props: BulkForm) => <AddOrRemove added={GROUPS} {...props} />;
/** Makes threshold packs watch the devices, or stop watching them. */
export const PacksForm = (props: BulkForm) => <AddOrRemove added={PACKS} {...props} />;

function AddOrRemove({ added, ids, onClose, onDone }: BulkForm & { added: Added }) {
  const bulk = useBulk();
  const [form, field] = useFields({ act: "add" as Act, chosen: [] as string[] });
  const { act, chosen } = form.values;
  const submit = async () => onDone(await bulk.run(ids, { act: "change", change: added.change(act, chosen) }));
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={`${added.actions[act]} ${plural(ids.length, "device")}`}
      onCancel={onClose}
      blocked={chosen.length === 0 ? added.unchosen : undefined}
    >
      <NativeSelect
        label="What to do"
        data-autofocus
        data={Object.entries(added.acts).map(([value, label]) => ({ value, label }))}
        {...field("act")}
      />
      {added.field(field("chosen"))}
      {bulk.shown}
    </Form>
  );
}
