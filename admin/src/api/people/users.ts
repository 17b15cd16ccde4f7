import { api, ifMatch, must, type Schemas } from "../client.ts";
import { type QueryOf, read, readVersioned } from "../read.ts";

export const USERS = "/api/admin/users";
export type User = Schemas["User"];
export type Role = User["role"];

const of = (id: string) => ({ params: { path: { id } } });
export const usersQuery = (query: QueryOf<typeof USERS>) => read(USERS, { query: { ...query, limit: 50 } });
export const userQuery = (id: string) => readVersioned(`${USERS}/{id}`, { path: { id } });
/** The API keys and MQTT clients that end with the user, or lose scopes if the user gets this role. */
export const impactQuery = (id: string, role?: Role) => ({
  ...read(`${USERS}/{id}/impact`, { path: { id }, query: { role } }),
  staleTime: 0,
});

export const changeUser = (id: string, etag: string | undefined, body: Schemas["UserChange"]) =>
  must(api.PATCH(`${USERS}/{id}`, { ...of(id), body, ...ifMatch(etag) }));
export const deleteUser = (id: string) => must(api.DELETE(`${USERS}/{id}`, of(id)));
/** Removes the second factor of a user who lost it. */
export const resetFactor = (id: string) => must(api.DELETE(`${USERS}/{id}/factor`, of(id)));
/** Makes a link with which the user chooses a new password. */
export const resetUser = (id: string) => must(api.POST(`${USERS}/{id}/reset`, of(id)));
