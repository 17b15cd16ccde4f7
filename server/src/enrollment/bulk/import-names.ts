import { isUuid } from "../../lib/ids.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { EnrollmentDeps } from "../deps.ts";
import type { ImportRow } from "./import-row.ts";
import { listGroupNames, listTypeNames, type NamedId } from "./import-store.ts";

/** The groups and the types of the tenant, by lower-case name. */
export interface ImportNames {
  groups: ReadonlyMap<string, readonly string[]>;
  types: ReadonlyMap<string, readonly string[]>;
}

export async function readNames({ database: { db } }: EnrollmentDeps, tenantId: string): Promise<ImportNames> {
  const [groups, types] = [await listGroupNames(db, tenantId), await listTypeNames(db, tenantId)];
  return { groups: byName(groups), types: byName(types) };
}

function byName(rows: readonly NamedId[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { id, name } of rows) found.set(name.toLowerCase(), [...(found.get(name.toLowerCase()) ?? []), id]);
  return found;
}

/**
 * Returns the ids of the type and the groups that a row names.
 *
 * @throws MusterError invalid_request for a name that none has, or several have
 */
export function resolveRow({ deviceType, groups }: ImportRow, names: ImportNames) {
  return {
    deviceTypeId: deviceType === undefined ? undefined : idOf("device type", deviceType, names.types),
    groupIds: groups?.map((group) => idOf("group", group, names.groups)),
  };
}

/** Returns the id; the use case checks whether a UUID exists. */
function idOf(what: string, text: string, ids: ReadonlyMap<string, readonly string[]>): string {
  const found = ids.get(text.trim().toLowerCase()) ?? [];
  if (found.length === 1) return found[0]!;
  if (found.length > 1) throw invalidRequest(`several have the name of the ${what} "${text}": give its id`, text);
  if (isUuid(text.trim())) return text.trim();
  throw invalidRequest(`there is no ${what} "${text}"`, text);
}
