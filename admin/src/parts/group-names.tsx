import { useQuery } from "@tanstack/react-query";
import { groupChoicesQuery } from "../api/people/groups.ts";

/** Groups by name. */
export function GroupNames({ ids, none }: { ids: readonly string[]; none: string }) {
  const groups = useQuery({ ...groupChoicesQuery(), enabled: ids.length > 0 }).data?.items;
  if (ids.length === 0) return <span className="soft">{none}</span>;
  return <>{ids.map((id) => groups?.find((group) => group.id === id)?.name ?? id).join(", ")}</>;
}
