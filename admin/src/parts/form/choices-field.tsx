import { Checkbox, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { common } from "#texts/common.ts";
import { withinSentence } from "#texts/language.ts";
import { t } from "#texts/parts.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { peopleQuery } from "../../api/people/people.ts";
import { shiftsQuery } from "../../api/people/shifts.ts";
import { filled } from "../../api/queries.ts";
import { ROLES } from "../../words/roles.ts";
import { Loaded } from "../loaded.tsx";
import "./choices-field.css";

/** The properties of a field that chooses records by their ids. */
export interface ChosenIds {
  label: string;
  description?: ReactNode;
  value?: string[];
  onChange: (ids: string[]) => void;
  error?: ReactNode;
}

interface ChoicesFieldProps extends ChosenIds {
  choices: readonly { id: string; label: string }[];
  /** Shown instead of the choices if there are none. */
  none: string;
  /** The field above the choices that searches them. */
  search?: ReactNode;
}

/** Chooses several records of a list by checkboxes. */
function ChoicesField({ value = [], choices, none, search, ...field }: ChoicesFieldProps) {
  return (
    <Checkbox.Group value={value} {...field}>
      <div className="choices-field stack-tight">
        {search}
        {choices.length === 0 && <p className="soft">{none}</p>}
        <div className="choices-field-list stack-tight">
          {choices.map(({ id, label }) => (
            <Checkbox key={id} value={id} label={label} />
          ))}
        </div>
      </div>
    </Checkbox.Group>
  );
}

function SearchField({ label, text, onText }: { label: string; text: string; onText: (text: string) => void }) {
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}

const TYPING_MS = 300;
/** Fewer choices are read at a glance. */
const SEARCHED_FROM = 8;

/** Holds the text of a search, and the same text once the typing has paused. */
function useSearch() {
  const [text, onText] = useState("");
  const [q] = useDebouncedValue(text, TYPING_MS);
  return { text, onText, q: q.trim() };
}

interface SearchedFieldProps<Item extends { id: string }> extends ChosenIds {
  /** The label of the search: `Search groups`. */
  searchLabel: string;
  search: Pick<ReturnType<typeof useSearch>, "text" | "onText">;
  query: UseQueryResult<{ items: readonly Item[]; total: number }>;
  labelOf: (item: Item) => string;
  none: string;
}

/** Chooses several records of a list that the service searches. Chosen records stay chosen, whatever is searched. */
function SearchedField<Item extends { id: string }>(props: SearchedFieldProps<Item>) {
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

/** Chooses groups by name. */
export function GroupsField(field: ChosenIds) {
  const { q, ...search } = useSearch();
  return (
    <SearchedField
      {...field}
      searchLabel={t.searchGroups}
      search={search}
      query={useQuery(groupChoicesQuery(q))}
      labelOf={({ name }) => name}
      none={search.text === "" ? t.thereIsNoGroupYet : t.noGroupHasThisIn}
    />
  );
}

export function PacksField(field: Omit<ChosenIds, "label">) {
  return (
    <Loaded query={useQuery(thresholdChoicesQuery)}>
      {({ items }) => (
        <ChoicesField
          {...field}
          label={common.thresholdPacks}
          choices={items.map(({ id, name }) => ({ id, label: name }))}
          none={t.thereIsNoThresholdPack}
        />
      )}
    </Loaded>
  );
}

/** Chooses shifts by name. */
export function ShiftsField(field: ChosenIds) {
  const { q, ...search } = useSearch();
  return (
    <SearchedField
      {...field}
      searchLabel={t.searchShifts}
      search={search}
      query={useQuery(shiftsQuery(filled({ q })))}
      labelOf={({ name }) => name}
      none={search.text === "" ? t.thereIsNoShiftYet : t.noShiftHasThisIn}
    />
  );
}

/** Chooses active users by address. */
export function PeopleField(field: ChosenIds) {
  const { q, ...search } = useSearch();
  return (
    <SearchedField
      {...field}
      searchLabel={t.searchPeople}
      search={search}
      query={useQuery(peopleQuery(q))}
      labelOf={({ name, email, role }) => `${name ? `${name}, ` : ""}${email} (${withinSentence(ROLES[role])})`}
      none={t.noActiveUserHasThis}
    />
  );
}
