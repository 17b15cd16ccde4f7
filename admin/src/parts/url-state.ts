import { useRouter, useSearch } from "@tanstack/react-router";
import type { FilterValues, Sorting } from "../ui/ui.ts";

/**
 * Holds the query of a screen's address: filters, order, page, range. It can be sent and reopened. The browser's back
 * button undoes a change that is a `step`.
 */
export function useUrlState(): [
  values: FilterValues,
  change: (changed: FilterValues, how?: { step: boolean }) => void,
] {
  const router = useRouter();
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const values = Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));
  const change = (changed: FilterValues, { step } = { step: false }) =>
    void router.navigate({
      to: ".",
      search: ((before: Record<string, unknown>) => ({ ...before, ...changed })) as never,
      replace: !step,
      resetScroll: false,
    });
  return [values, change];
}

export interface ListState {
  values: FilterValues;
  skip: number;
  /** The order in the address: `name` or `-name`. */
  sort: string | undefined;
  sorting: Sorting;
  /** Changes filters and returns to the first page. */
  onFilter: (changed: FilterValues) => void;
  onSkip: (skip: number) => void;
  /** Changes what is shown of the records: columns, density. */
  onShow: (changed: FilterValues) => void;
}

/** Holds the state of a list in its address: `filters` by name, `sort` (`-` before the name for descending), `skip`. */
export function useListState(): ListState {
  const [values, change] = useUrlState();
  const { sort } = values;
  const descending = sort?.startsWith("-") ?? false;
  return {
    values,
    skip: Number(values.skip ?? 0) || 0,
    sort,
    sorting: {
      by: descending ? sort?.slice(1) : sort,
      descending,
      onSort: (by, down) => change({ sort: down ? `-${by}` : by, skip: undefined }),
    },
    onFilter: (changed) => change({ ...changed, skip: undefined }),
    onSkip: (skip) => change({ skip: skip > 0 ? String(skip) : undefined }),
    onShow: (changed) => change(changed),
  };
}
