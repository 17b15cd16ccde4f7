import { useQuery } from "@tanstack/react-query";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import type { ChosenIds } from "./choices-field.tsx";
import { SearchedField, useSearch } from "./searched-field.tsx";

/** Chooses groups by name. */
export function GroupsField(field: ChosenIds) {
  const { q, ...search } = useSearch();
  return (
    <SearchedField
      {...field}
      searchLabel="Search groups"
      search={search}
      query={useQuery(groupChoicesQuery(q))}
      labelOf={({ name }) => name}
      none={search.text === "" ? "There is no group yet." : "No group has this in its name."}
    />
  );
}
