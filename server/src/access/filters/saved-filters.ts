import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../lib/ids.ts";
import { LIMITS } from "../../lib/limits/limits.ts";
import { alreadyExists, invalidRequest, notFound } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import { type Caller, ownUserOf } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { useCase } from "../use-case.ts";
import {
  deleteFilterRow,
  insertFilter,
  listFilterRows,
  lockFilters,
  renameFilterRow,
  type SavedFilter,
} from "./filter-store.ts";

/** The lists of the app whose filters can be saved. */
export const FILTERED_LISTS = ["devices", "anomalies", "tickets"] as const;
export type FilteredList = (typeof FILTERED_LISTS)[number];

export interface NewFilter {
  list: FilteredList;
  name: string;
  values: Readonly<Record<string, string>>;
}

const ownerOf = (caller: Caller) => ({ tenantId: caller.tenantId, userId: ownUserOf(caller) });

/** Lists the caller's own filters of a list, by name. */
export const listFilters = useCase(
  { role: "viewer" },
  async ({ database }: AccessDeps, caller, list: FilteredList): Promise<SavedFilter[]> =>
    await listFilterRows(database.db, ownerOf(caller), list),
);

/**
 * Saves a filter for the caller.
 *
 * @throws MusterError invalid_request; already_exists when the list has one of this name
 */
export const saveFilter = useCase(
  { role: "viewer" },
  async ({ database, clock, ids }: AccessDeps, caller, { list, name, values }: NewFilter): Promise<SavedFilter> => {
    const owner = ownerOf(caller);
    const filter = { id: ids.uuid(clock.now()), list, name: plainLine("name", name), values: { ...values } };
    const most = LIMITS.filtersOfUser.value;
    return await inTransaction(database.db, async (tx) => {
      await lockFilters(tx, owner);
      if ((await listFilterRows(tx, owner, list)).length >= most)
        throw invalidRequest(`You can save at most ${most} filters of a list.`, "name");
      if (!(await insertFilter(tx, owner, filter))) throw taken(filter.name);
      return filter;
    });
  },
);

/** Renames one of the caller's filters. @throws MusterError not_found; invalid_request; already_exists */
export const renameFilter = useCase(
  { role: "viewer" },
  async ({ database }: AccessDeps, caller, id: string, name: string): Promise<SavedFilter> => {
    const owner = ownerOf(caller);
    const wanted = plainLine("name", name);
    return await inTransaction(database.db, async (tx) => {
      await lockFilters(tx, owner);
      const renamed = isUuid(id) ? await renameFilterRow(tx, owner, id, wanted) : undefined;
      if (renamed === undefined) throw notFound("filter");
      if (renamed === "taken") throw taken(wanted);
      return renamed;
    });
  },
);

/** Deletes one of the caller's filters; an unknown one changes nothing. */
export const deleteFilter = useCase({ role: "viewer" }, async ({ database }: AccessDeps, caller, id: string) => {
  const owner = ownerOf(caller);
  if (isUuid(id)) await deleteFilterRow(database.db, owner, id);
});

function taken(name: string) {
  return alreadyExists("You already have a filter of this name.", name);
}
