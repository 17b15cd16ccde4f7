import { useQuery } from "@tanstack/react-query";
import { coverageQuery } from "../../api/people/on-call.ts";
import { plural } from "../../ui/display/format.ts";
import { Tile } from "../../ui/page/tile.tsx";

/** Uncovered hours of the next seven days; they lead to the week of the group that lacks most. */
export function CoverageTile() {
  const { data } = useQuery(coverageQuery);
  const items = data?.items ?? [];
  const hours = items.reduce((sum, item) => sum + item.hours, 0);
  const first = items[0];
  return (
    <Tile
      label="Uncovered hours"
      value={data && Math.ceil(hours)}
      href={first ? `/shifts?group=${first.groupId}` : "/shifts"}
      tone="bad"
      note={items.length > 0 ? `${plural(items.length, "group")}, next 7 days` : "next 7 days"}
    />
  );
}
