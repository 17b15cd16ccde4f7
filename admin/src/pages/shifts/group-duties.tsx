import type { Group } from "../../api/people/groups.ts";
import { GroupAbsences } from "./absences.tsx";
import { GroupOverrides } from "./group-overrides.tsx";

/** What changes the duties of a group for a time. The screen of the group loads it last. */
export default function GroupDuties({ group }: { group: Group }) {
  return (
    <>
      <GroupOverrides group={group} />
      <GroupAbsences group={group} />
    </>
  );
}
