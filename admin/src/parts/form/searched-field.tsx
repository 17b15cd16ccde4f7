import { useDebouncedValue } from "@mantine/hooks";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "../loaded.tsx";
import { ChoicesField, type ChosenIds, SearchField } from "./choices-field.tsx";

const TYPING_MS = 300;
/** Fewer are read at a glance. */
const SEARCHED_FROM = 8;

/** What is typed into a search, and the same once the typing has paused. */
export function useSearch() {
  const [text, onText] = useState("");
  const [q] = useDebouncedValue(text, TYPING_MS);
  return { text, onText, q: q.trim() };
}

interface SearchedFieldProps<Item extends { id: string }> extends ChosenIds {
  /** What is searched, as `Search groups`. */
  searchLabel: string;
  search: Pick<ReturnType<typeof useSearch>, "text" | "onText">;
  query: UseQueryResult<{ items: readonly Item[]; total: number }>;
  labelOf: (item: Item) => string;
  none: string;
}

/** Chooses several of a list that the service searches. Those that are chosen stay chosen, whatever is searched. */
export function SearchedField<Item extends { id: string }>(props: SearchedFieldProps<Item>) {
  const { searchLabel, search, query, labelOf, none, ...field } = props;
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <ChoicesField
          {...field}
          none={none}
          choices={items.map((item) => ({ id: item.id, label: labelOf(item) }))}
          search={(total > SEARCHED_FROM || search.text !== "") && <SearchField label={searchLabel} {...search} />}
        />
      )}
    </Loaded>
  );
}
