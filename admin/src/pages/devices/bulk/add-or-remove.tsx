import { NativeSelect } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import type { Schemas } from "../../../api/client.ts";
import { useBulk } from "../../../parts/bulk/use-bulk.tsx";
import type { ChosenIds } from "../../../parts/form/choices-field.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { plural } from "../../../ui/display/format.ts";
import { Dialog } from "../../../ui/input/dialog.tsx";

/** What every dialog of bulk work is given. */
export interface BulkDialog {
  opened: boolean;
  ids: readonly string[];
  onClose: () => void;
  onDone: (outcome: Schemas["BulkOutcome"]) => void;
}

type Act = "add" | "remove";

/** What is added to devices or removed from them, in words and in the request. */
export interface Added {
  /** `groups` gives the title `Change the groups of 3 devices`. */
  what: string;
  /** The choices of what to do. */
  acts: Record<Act, string>;
  /** What the button says, before the number of devices. */
  actions: Record<Act, string>;
  /** Why the button is blocked while nothing is chosen. */
  unchosen: string;
  change: (act: Act, chosen: string[]) => Schemas["DeviceChange"];
  field: (props: Pick<ChosenIds, "value" | "onChange" | "error">) => ReactNode;
}

/** Adds something to devices, or removes it from them. */
export function AddOrRemove({ added, opened, ...props }: BulkDialog & { added: Added }) {
  const title = `Change the ${added.what} of ${plural(props.ids.length, "device")}`;
  return (
    <Dialog title={title} opened={opened} onClose={props.onClose}>
      <AddOrRemoveForm added={added} {...props} />
    </Dialog>
  );
}

function AddOrRemoveForm({ added, ids, onClose, onDone }: Omit<BulkDialog, "opened"> & { added: Added }) {
  const bulk = useBulk();
  const form = useForm({ mode: "controlled", initialValues: { act: "add" as Act, chosen: [] as string[] } });
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
        data={(["add", "remove"] as const).map((value) => ({ value, label: added.acts[value] }))}
        {...form.getInputProps("act")}
      />
      {added.field(form.getInputProps("chosen"))}
      {bulk.shown}
    </Form>
  );
}
