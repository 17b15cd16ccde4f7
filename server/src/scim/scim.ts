import { type Bound, bind } from "../access/access.ts";
import type { ScimDeps } from "./deps.ts";
import { mapScimGroup } from "./groups/map-group.ts";
import { createGroup, deleteGroup, getGroup, listGroups, patchGroup, replaceGroup } from "./groups/provision-groups.ts";
import { createScimToken, deleteScimToken, getProvisioning, provisionerOf } from "./tokens/scim-tokens.ts";
import { createUser, deleteUser, getUser, listUsers, patchUser, replaceUser } from "./users/provision-users.ts";

export { type Filter, parseFilter } from "./protocol/filter.ts";
export { type ScimReason, ScimRefusal } from "./protocol/refusal.ts";
export { descriptionsOf, ERROR_SCHEMA, LIST_SCHEMA } from "./protocol/schemas.ts";
export type { Provisioner } from "./provisioner.ts";
export type { Listed, ListQuery, Resource } from "./resource.ts";
export { deleteAllTokens } from "./tokens/token-store.ts";

/** The use cases for admins of a tenant. */
export const scimUseCases = { getProvisioning, createScimToken, deleteScimToken, mapScimGroup };

/** The functions for the identity provider of a tenant. */
const users = { listUsers, getUser, createUser, replaceUser, patchUser, deleteUser };
const groups = { listGroups, getGroup, createGroup, replaceGroup, patchGroup, deleteGroup };

/** The facade of this feature: users and groups that an identity provider keeps (SCIM 2.0, RFC 7643, 7644). */
export interface Scim extends Bound<typeof scimUseCases>, Bound<typeof users>, Bound<typeof groups> {
  provisionerOf: Bound<{ provisionerOf: typeof provisionerOf }>["provisionerOf"];
}

export function createScim(deps: ScimDeps): Scim {
  return { ...bind(deps, scimUseCases), ...bind(deps, users), ...bind(deps, groups), ...bind(deps, { provisionerOf }) };
}
