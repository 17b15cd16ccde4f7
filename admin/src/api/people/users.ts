import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { filled, keyOf } from "../queries.ts";
import { ifMatch, mustVersioned } from "../versioned.ts";

export const USERS = "/api/admin/users";

export type User = Schemas["User"];
export type Role = User["role"];

interface UsersQuery {
  q?: string | undefined;
  role?: Role | undefined;
  status?: User["status"] | undefined;
  skip: number;
}

export const usersQuery = (query: UsersQuery) =>
  queryOptions({
    queryKey: keyOf(USERS, query),
    queryFn: ({ signal }) => must(api.GET(USERS, { params: { query: filled({ ...query, limit: 50 }) }, signal })),
  });

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${USERS}/${id}`),
    queryFn: () => mustVersioned(api.GET(`${USERS}/{id}`, { params: { path: { id } } })),
  });

/** Lists the keys and clients that stop with the user, or lose scopes with this role; the keys may have been used since they were read. */
export const impactQuery = (id: string, role?: Role) =>
  queryOptions({
    queryKey: keyOf(`${USERS}/${id}/impact`, role),
    queryFn: () =>
      must(api.GET(`${USERS}/{id}/impact`, { params: { path: { id }, query: role === undefined ? {} : { role } } })),
    staleTime: 0,
  });

export function changeUser(id: string, etag: string | undefined, body: Schemas["UserChange"]) {
  return must(api.PATCH(`${USERS}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
}

export function deleteUser(id: string) {
  return must(api.DELETE(`${USERS}/{id}`, { params: { path: { id } } }));
}

/** Removes the second factor of a user who lost it. */
export function resetFactor(id: string) {
  return must(api.DELETE(`${USERS}/{id}/factor`, { params: { path: { id } } }));
}

/** A link with which the user chooses a new password. */
export function resetUser(id: string) {
  return must(api.POST(`${USERS}/{id}/reset`, { params: { path: { id } } }));
}
