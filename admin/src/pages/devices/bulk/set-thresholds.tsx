import { Checkbox, NativeSelect } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../api/client.ts";
import { thresholdChoicesQuery } from "../../../api/monitoring/thresholds.ts";
import { useBulk } from "../../../parts/bulk/use-bulk.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { plural } from "../../../ui/display/format.ts";
import { Dialog } from "../../../ui/input/dialog.tsx";

interface SetThresholdsProps {
  opened: boolean;
  ids: readonly string[];
  onClose: () => void;
  onDone: (outcome: Schemas["BulkOutcome"]) => void;
}

/** Has threshold packs watch the devices, or no longer. */
export function SetThresholds({ opened, onClose, ids, onDone }: SetThresholdsProps) {
  return (
    <Dialog title={`Change the threshold packs of ${plural(ids.length, "device")}`} opened={opened} onClose={onClose}>
      <SetThresholdsForm ids={ids} onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

function SetThresholdsForm({ ids, onClose, onDone }: Omit<SetThresholdsProps, "opened">) {
  const bulk = useBulk();
  const packs = useQuery(thresholdChoicesQuery);
  const form = useForm({ mode: "controlled", initialValues: { act: "add", thresholdIds: [] as string[] } });
  const { act, thresholdIds } = form.values;
  const submit = async () => {
    const change = act === "add" ? { addThresholdIds: thresholdIds } : { removeThresholdIds: thresholdIds };
    onDone(await bulk.run(ids, { act: "change", change }));
  };
  const count = plural(ids.length, "device");
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={act === "add" ? `Watch ${count}` : `Stop watching ${count}`}
      onCancel={onClose}
      blocked={thresholdIds.length === 0 ? "Choose a pack." : undefined}
    >
      <NativeSelect
        label="What to do"
        data-autofocus
        data={[
          { value: "add", label: "watch the devices with the packs" },
          { value: "remove", label: "no longer watch them with the packs" },
        ]}
        {...form.getInputProps("act")}
      />
      <Loaded query={packs}>
        {({ items }) => (
          <Checkbox.Group
            label="Threshold packs"
            description="Packs of the device type go on to watch a device, whatever is chosen here."
            {...form.getInputProps("thresholdIds")}
          >
            <div className="stack">
              {items.length === 0 && <p className="soft">There is no pack yet.</p>}
              {items.map(({ id, name }) => (
                <Checkbox key={id} value={id} label={name} />
              ))}
            </div>
          </Checkbox.Group>
        )}
      </Loaded>
      {bulk.shown}
    </Form>
  );
}
