import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { t } from "#texts/ui.ts";
import { Action } from "./action.tsx";
import { type Filter, type FilterValues, hasDefault } from "./filter.ts";
import { FilterChip } from "./filter-chip.tsx";
import { TextField } from "./filter-text.tsx";
import "./filters.css";

interface FiltersProps {
  filters: readonly Filter[];
  values: FilterValues;
  /** Receives the changed fields; the screen writes them into its address. */
  onChange: (changed: FilterValues) => void;
}

/** Returns the change that clears all filters. */
export function cleared(filters: readonly Filter[]): FilterValues {
  return Object.fromEntries(filters.map(({ name }) => [name, undefined]));
}

/**
 * The filters of a list: the first is always shown, the others as chips once they are set. Their values are in the
 * address of the screen, which can be sent and reopened.
 */
export function Filters({ filters, values, onChange }: FiltersProps) {
  const [edited, setEdited] = useState<string>();
  const [first, ...others] = filters;
  const isChip = (each: Filter) => Boolean(values[each.name]) || each.name === edited || hasDefault(each);
  const isAlways = first?.kind === "text";
  const addable = (isAlways ? others : filters).filter((each) => !isChip(each));
  const chips = (isAlways ? others : filters).filter(isChip);
  const some = filters.some(({ name }) => values[name]);
  const change = (name: string) => (value: string) => onChange({ [name]: value || undefined });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a search form without a button to send it
    <div className="filters" role="search" aria-label={t.filters}>
      {isAlways && <TextField filter={first} value={values[first.name] ?? ""} onChange={change(first.name)} />}
      {chips.map((filter) => (
        <FilterChip
          key={filter.name}
          filter={filter}
          value={values[filter.name] ?? ""}
          opened={filter.name === edited}
          onOpen={(opened) => setEdited(opened ? filter.name : undefined)}
          onChange={change(filter.name)}
        />
      ))}
      {addable.length > 0 && (
        <NativeSelect
          className="filters-add"
          aria-label={t.addFilter}
          value=""
          onChange={(event) => setEdited(event.currentTarget.value)}
          data={[{ value: "", label: t.addFilter }, ...addable.map(({ name, label }) => ({ value: name, label }))]}
        />
      )}
      {some && (
        <Action subtle label={t.clearFilters} className="filters-clear" onClick={() => onChange(cleared(filters))} />
      )}
    </div>
  );
}
