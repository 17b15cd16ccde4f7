import { PacksField } from "../../../parts/form/packs-field.tsx";
import { type Added, AddOrRemove, type BulkDialog } from "./add-or-remove.tsx";

const THRESHOLD_PACKS: Added = {
  what: "threshold packs",
  acts: { add: "watch the devices with the packs", remove: "no longer watch them with the packs" },
  actions: { add: "Watch", remove: "Stop watching" },
  unchosen: "Choose a pack.",
  change: (act, chosen) => (act === "add" ? { addThresholdIds: chosen } : { removeThresholdIds: chosen }),
  field: (props) => (
    <PacksField description="Packs of the device type go on to watch a device, whatever is chosen here." {...props} />
  ),
};

/** Has threshold packs watch the devices, or no longer. */
export function SetThresholds(props: BulkDialog) {
  return <AddOrRemove added={THRESHOLD_PACKS} {...props} />;
}
