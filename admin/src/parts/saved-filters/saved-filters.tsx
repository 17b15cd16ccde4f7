import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  deleteFilter,
  FILTERS,
  type FilteredList,
  renameFilter,
  type SavedFilter,
  savedFiltersQuery,
  saveFilter,
} from "../../api/people/saved-filters.ts";
import { Action, cleared, Dialog, DialogActions, type Filter, type FilterValues, Opens } from "../../ui/ui.ts";
import { useAct } from "../act/use-act.tsx";
import { Form, useFields } from "../form/form.tsx";
import type { ListState } from "../url-state.ts";
import { useRefresh } from "../use-refresh.ts";

interface SavedFiltersProps {
  of: FilteredList;
  filters: readonly Filter[];
  list: Pick<ListState, "values" | "onFilter">;
}

/** The user's saved filters of a list: choosing, saving, renaming and deleting. */
export function SavedFilters({ of, filters, list }: SavedFiltersProps) {
  const [manages, setManages] = useState(false);
  const saved = useQuery(savedFiltersQuery(of)).data?.items ?? [];
  const present = chosen(filters, list.values);
  const current = saved.find(({ values }) => isSame(chosen(filters, values), present));
  const some = Object.keys(present).length > 0;
  if (!some && saved.length === 0) return null;
  const choose = (id: string) => {
    const values = saved.find((each) => each.id === id)?.values ?? {};
    list.onFilter({ ...cleared(filters), ...chosen(filters, values) });
  };
  return (
    <div className="row">
      {saved.length > 0 && (
        <NativeSelect
          aria-label="Saved filters"
          value={current?.id ?? ""}
          onChange={(event) => choose(event.currentTarget.value)}
          data={[{ value: "", label: some && !current ? "Filter not saved" : "No saved filter" }, ...optionsOf(saved)]}
        />
      )}
      {some && !current && (
        <Opens subtle label="Save filter" title="Save this filter">
          {(close) => <FilterNameForm list={of} values={present} onClose={close} />}
        </Opens>
      )}
      {saved.length > 0 && <Action subtle label="Manage filters" onClick={() => setManages(true)} />}
      <Dialog title="Your saved filters" opened={manages} onClose={() => setManages(false)}>
        <ManageFilters saved={saved} onClose={() => setManages(false)} />
      </Dialog>
    </div>
  );
}

const optionsOf = (saved: readonly SavedFilter[]) => saved.map(({ id, name }) => ({ value: id, label: name }));

/** Returns the fields of the list that are set. */
function chosen(filters: readonly Filter[], values: FilterValues): Record<string, string> {
  const set = filters.flatMap(({ name }) => (values[name] ? [[name, values[name]] as const] : []));
  return Object.fromEntries(set);
}

function isSame(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

interface FilterNameFormProps {
  list: FilteredList;
  values: Record<string, string>;
  onClose: () => void;
}

function FilterNameForm({ list, values, onClose }: FilterNameFormProps) {
  const [form, field] = useFields({ name: "" }, "saveFilter");
  return (
    <Form
      form={form}
      onSubmit={({ name }) => saveFilter({ list, name, values })}
      action="Save filter"
      onCancel={onClose}
      done={({ name }) => `The filter is saved as ${name}.`}
      refreshes={[FILTERS]}
      onDone={onClose}
    >
      <TextInput
        label="Name"
        description="For yourself: other users do not see it."
        data-autofocus
        {...field("name")}
      />
    </Form>
  );
}

function ManageFilters({ saved, onClose }: { saved: readonly SavedFilter[]; onClose: () => void }) {
  const { act, problem } = useAct();
  const refresh = useRefresh();
  const change = (run: () => Promise<unknown>) => void act(() => run().then(() => refresh(FILTERS)));
  return (
    <div className="stack">
      {saved.length === 0 && <p className="soft">You have no saved filter of this list.</p>}
      {saved.map((filter) => (
        <Row
          key={filter.id}
          filter={filter}
          onRename={(name) => change(() => renameFilter(filter.id, name))}
          onDelete={() => change(() => deleteFilter(filter.id))}
        />
      ))}
      {problem}
      <DialogActions>
        <Action main label="Close" onClick={onClose} />
      </DialogActions>
    </div>
  );
}

interface RowProps {
  filter: SavedFilter;
  onRename: (name: string) => void;
  onDelete: () => void;
}

function Row({ filter, onRename, onDelete }: RowProps) {
  const [name, setName] = useState(filter.name);
  const changed = name.trim() !== "" && name.trim() !== filter.name;
  return (
    <div className="row">
      <TextInput
        aria-label={`Name of ${filter.name}`}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Action small label="Rename" disabled={!changed} onClick={() => onRename(name.trim())} />
      <Action small label="Delete" aria-label={`Delete ${filter.name}`} onClick={onDelete} />
    </div>
  );
}
