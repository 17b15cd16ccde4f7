import type { Group } from "../../api/people/groups.ts";
import { GroupAbsences } from "./absences.tsx";
import { GroupOverrides } from "./group-overrides.tsx";

/** Temporary changes of a group's duties. The screen of the group loads it last. */
export default function GroupDuties({ group }: { group: Group }) {
  return (
    <>
      <GroupOverrides group={group} />
      <GroupAbsences group={group} />
    </>
  );
}
