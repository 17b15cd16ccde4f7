import { isUuid } from "../lib/ids.ts";
import type { AccessDeps } from "./deps.ts";
import { findKeyNames } from "./keys/key-store.ts";
import { useCase } from "./use-case.ts";
import { findUserNames } from "./user-store.ts";

/** The name of a record. */
export interface NamedRecord {
  id: string;
  name: string;
  /** The e-mail address of a user. */
  email?: string;
  /** Whether the record is deleted; histories still name it. */
  deleted: boolean;
  /** Devices only: the ids of its groups. */
  groupIds?: readonly string[];
  /** Devices only: the place in its metadata. */
  place?: string | null;
}

/**
 * Returns the names, or else the e-mail addresses, of those `ids` that are users of the tenant. Deleted users are
 * included: their acts stay in histories.
 */
export const nameUsers = useCase(
  { role: "viewer" },
  (deps: AccessDeps, caller, ids: readonly string[]): Promise<NamedRecord[]> =>
    findUserNames(deps.database.db, caller.tenantId, ids.filter(isUuid)),
);

/** Returns the names of those `ids` that are API keys of the tenant, including ended keys. */
export const nameKeys = useCase(
  { role: "admin" },
  (deps: AccessDeps, caller, ids: readonly string[]): Promise<NamedRecord[]> =>
    findKeyNames(
      deps.database.db,
      caller.tenantId,
      ids.filter((id) => !id.includes("\0")),
    ),
);
