import { NativeSelect, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { t } from "#texts/ui.ts";
import { Action } from "./action.tsx";
import "./filters.css";

/** A filter of a list. Its value is text; absent or empty text means "any". */
export type Filter =
  | {
      kind: "text";
      name: string;
      label: string;
      placeholder?: string;
      maxLength?: number;
      /** Accepts `!` before a value to exclude it. */
      not?: boolean;
    }
  | {
      kind: "choice";
      name: string;
      label: string;
      options: readonly (readonly [value: string, label: string])[];
      not?: boolean;
      /** What the list shows without a value; every record if absent. */
      unset?: string;
    }
  /** `2026-11-22T14:30` in the user's own zone. */
  | { kind: "time"; name: string; label: string };

export type FilterValues = Readonly<Record<string, string | undefined>>;

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

const TYPING_MS = 300;
/** With this many further filters, a phone shows them only on request: they would fill its screen. */
const FOLDED = 2;

function moreText(opened: boolean, set: number): string {
  if (opened) return t.fewerFilters;
  return set === 0 ? t.moreFilters : t.moreFiltersSet(set);
}

/** The filters of a list. Their values are in the address of the screen, which can be sent and reopened. */
export function Filters({ filters, values, onChange }: FiltersProps) {
  const [opened, setOpened] = useState(false);
  const [first, ...others] = filters;
  const foldable = others.length >= FOLDED;
  const some = filters.some(({ name }) => values[name]);
  const field = (filter: Filter) => (
    <Field
      key={filter.name}
      filter={filter}
      value={values[filter.name] ?? ""}
      onChange={(value) => onChange({ [filter.name]: value || undefined })}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a search form without a button to send it
    <div className="filters" role="search" aria-label={t.filters} data-folded={(foldable && !opened) || undefined}>
      {first && field(first)}
      {foldable && (
        <Action
          label={moreText(opened, others.filter(({ name }) => values[name]).length)}
          className="filters-more"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        />
      )}
      {others.map(field)}
      {some && (
        <Action subtle label={t.clearFilters} className="filters-clear" onClick={() => onChange(cleared(filters))} />
      )}
    </div>
  );
}

interface FieldProps {
  filter: Filter;
  value: string;
  onChange: (value: string) => void;
}

function Field({ filter, value, onChange }: FieldProps) {
  if (filter.kind === "text") return <TextField filter={filter} value={value} onChange={onChange} />;
  if (filter.kind === "time")
    return (
      <TextInput
        type="datetime-local"
        label={filter.label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  const options = filter.options.map(([value, label]) => ({ value, label }));
  const negated = filter.not
    ? filter.options.map(([value, label]) => ({ value: `!${value}`, label: t.not(label) }))
    : [];
  return (
    <NativeSelect
      label={filter.label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: "", label: filter.unset ?? t.any }, ...options, ...negated]}
    />
  );
}

/** A text filter, applied when the user pauses. */
function TextField({ filter, value, onChange }: FieldProps & { filter: Extract<Filter, { kind: "text" }> }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the timer
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      type="search"
      label={filter.label}
      placeholder={filter.not ? t.or(filter.placeholder ?? "") : filter.placeholder}
      title={filter.not ? t.withBeforeItAllOthers : undefined}
      maxLength={filter.maxLength}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      data-filter="text"
      aria-keyshortcuts="/"
    />
  );
}
