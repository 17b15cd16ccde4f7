import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type FilteredList, type SavedFilter, savedFiltersQuery } from "../../api/people/saved-filters.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { cleared, type Filter, type FilterValues } from "../../ui/input/filters.tsx";
import type { ListState } from "../url-state.ts";
import { FilterNameForm } from "./filter-name-form.tsx";
import { ManageFilters } from "./manage-filters.tsx";

interface SavedFiltersProps {
  of: FilteredList;
  filters: readonly Filter[];
  list: Pick<ListState, "values" | "onFilter">;
}

/** The user's own filters of a list: choosing one, saving the present one, renaming and deleting. */
export function SavedFilters({ of, filters, list }: SavedFiltersProps) {
  const [open, setOpen] = useState<"save" | "manage">();
  const saved = useQuery(savedFiltersQuery(of)).data?.items ?? [];
  const close = () => setOpen(undefined);
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
        <Button variant="subtle" onClick={() => setOpen("save")}>
          Save filter
        </Button>
      )}
      {saved.length > 0 && (
        <Button variant="subtle" onClick={() => setOpen("manage")}>
          Manage filters
        </Button>
      )}
      <Dialog title="Save this filter" opened={open === "save"} onClose={close}>
        <FilterNameForm list={of} values={present} onClose={close} />
      </Dialog>
      <Dialog title="Your saved filters" opened={open === "manage"} onClose={close}>
        <ManageFilters saved={saved} onClose={close} />
      </Dialog>
    </div>
  );
}

const optionsOf = (saved: readonly SavedFilter[]) => saved.map(({ id, name }) => ({ value: id, label: name }));

/** The fields of the list that are set. */
function chosen(filters: readonly Filter[], values: FilterValues): Record<string, string> {
  const set = filters.flatMap(({ name }) => (values[name] ? [[name, values[name]] as const] : []));
  return Object.fromEntries(set);
}

function isSame(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
