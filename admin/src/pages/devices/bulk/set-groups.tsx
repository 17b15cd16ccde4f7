import { GroupsField } from "../../../parts/form/groups-field.tsx";
import { type Added, AddOrRemove, type BulkDialog } from "./add-or-remove.tsx";

const GROUPS: Added = {
  what: "groups",
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

/** Adds the devices to groups, or removes them from some. */
export function SetGroups(props: BulkDialog) {
  return <AddOrRemove added={GROUPS} {...props} />;
}
