import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/parts.ts";
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
          aria-label={t.savedFilters}
          value={current?.id ?? ""}
          onChange={(event) => choose(event.currentTarget.value)}
          data={[{ value: "", label: some && !current ? t.filterNotSaved : t.noSavedFilter }, ...optionsOf(saved)]}
        />
      )}
      {some && !current && (
        <Opens subtle label={t.saveFilter} title={t.saveThisFilter}>
          {(close) => <FilterNameForm list={of} values={present} onClose={close} />}
        </Opens>
      )}
      {saved.length > 0 && <Action subtle label={t.manageFilters} onClick={() => setManages(true)} />}
      <Dialog title={t.yourSavedFilters} opened={manages} onClose={() => setManages(false)}>
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
      action={t.saveFilter}
      onCancel={onClose}
      done={({ name }) => t.theFilterIsSavedAs(name)}
      refreshes={[FILTERS]}
      onDone={onClose}
    >
      <TextInput label={common.name} description={t.forYourselfOtherUsersDo} data-autofocus {...field("name")} />
    </Form>
  );
}

function ManageFilters({ saved, onClose }: { saved: readonly SavedFilter[]; onClose: () => void }) {
  const { act, problem } = useAct();
  const refresh = useRefresh();
  const change = (run: () => Promise<unknown>) => void act(() => run().then(() => refresh(FILTERS)));
  return (
    <div className="stack">
      {saved.length === 0 && <p className="soft">{t.youHaveNoSavedFilter}</p>}
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
        <Action main label={common.close} onClick={onClose} />
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
        aria-label={t.nameOf(filter.name)}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Action small label={t.rename} disabled={!changed} onClick={() => onRename(name.trim())} />
      <Action small label={common.delete} aria-label={t.delete2(filter.name)} onClick={onDelete} />
    </div>
  );
}
