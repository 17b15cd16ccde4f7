import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/devices.ts";
import type { Schemas } from "../../../api/client.ts";
import { useBulk } from "../../../parts/bulk/use-bulk.tsx";
import type { ChosenIds } from "../../../parts/form/choices-field.tsx";
import { GroupsField, PacksField } from "../../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../../parts/form/form.tsx";

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
    <Form form={form} onSubmit={submit} action={t.setTypeOf(nouns.device(ids.length))} onCancel={onClose}>
      <p>{t.theirLiveCertificatesKeepThe}</p>
      <NativeSelect
        label={common.type}
        data-autofocus
        data={[
          ...types.map(({ id, name }) => ({ value: id, label: name })),
          { value: "", label: t.noneTheirNextCertificatesMay },
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
  acts: { add: t.addToTheGroups, remove: t.removeFromTheGroups },
  actions: { add: t.add, remove: common.remove },
  unchosen: t.chooseAGroup,
  change: (act, chosen) => (act === "add" ? { addGroupIds: chosen } : { removeGroupIds: chosen }),
  field: (props) => <GroupsField label={common.groups} description={t.theirMembersSeeTheDevices} {...props} />,
};
const PACKS: Added = {
  acts: { add: t.watchTheDevicesWithThe, remove: t.noLongerWatchThemWith },
  actions: { add: t.watch, remove: t.stopWatching },
  unchosen: t.chooseAPack,
  change: (act, chosen) => (act === "add" ? { addThresholdIds: chosen } : { removeThresholdIds: chosen }),
  field: (props) => <PacksField description={t.packsOfTheDeviceType} {...props} />,
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
      action={`${added.actions[act]} ${nouns.device(ids.length)}`}
      onCancel={onClose}
      blocked={chosen.length === 0 ? added.unchosen : undefined}
    >
      <NativeSelect
        label={common.whatToDo}
        data-autofocus
        data={Object.entries(added.acts).map(([value, label]) => ({ value, label }))}
        {...field("act")}
      />
      {added.field(field("chosen"))}
      {bulk.shown}
    </Form>
  );
}
