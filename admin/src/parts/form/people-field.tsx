import { useQuery } from "@tanstack/react-query";
import { foundPeopleQuery } from "../../api/people/people.ts";
import { ROLES } from "../../words/roles.ts";
import type { ChosenIds } from "./choices-field.tsx";
import { SearchedField, useSearch } from "./searched-field.tsx";

/** Chooses active users by address. */
export function PeopleField(field: ChosenIds) {
  const { q, ...search } = useSearch();
  return (
    <SearchedField
      {...field}
      searchLabel="Search people"
      search={search}
      query={useQuery(foundPeopleQuery(q))}
      labelOf={({ email, role }) => `${email} (${ROLES[role].toLowerCase()})`}
      none="No active user has this in their address."
    />
  );
}
