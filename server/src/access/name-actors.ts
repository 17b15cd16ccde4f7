import { isUuid } from "../lib/ids.ts";
import type { AccessDeps } from "./deps.ts";
import { findKeyNames } from "./keys/key-store.ts";
import { useCase } from "./use-case.ts";
import { findUserNames } from "./user-store.ts";

/** What a record is called. */
export interface NamedRecord {
  id: string;
  name: string;
  /** The record is deleted; histories still name it. */
  deleted: boolean;
}

/** The email addresses of those of `ids` that are users of the tenant, deleted ones too: what a user did stays in histories. */
export const nameUsers = useCase(
  { role: "viewer" },
  (deps: AccessDeps, caller, ids: readonly string[]): Promise<NamedRecord[]> =>
    findUserNames(deps.database.db, caller.tenantId, ids.filter(isUuid)),
);

/** The names of those of `ids` that are API keys of the tenant, ended ones too. */
export const nameKeys = useCase(
  { role: "admin" },
  (deps: AccessDeps, caller, ids: readonly string[]): Promise<NamedRecord[]> =>
    findKeyNames(
      deps.database.db,
      caller.tenantId,
      ids.filter((id) => !id.includes("\0")),
    ),
);
