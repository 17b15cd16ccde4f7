import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

export const INVITES = "/api/admin/invites";

export type Invite = Schemas["Invite"];

export const invitesQuery = (skip: number) =>
  queryOptions({
    queryKey: keyOf(INVITES, skip),
    queryFn: ({ signal }) => must(api.GET(INVITES, { params: { query: { skip, limit: 20 } }, signal })),
  });

export function inviteUser(body: Schemas["NewInvite"]) {
  return must(api.POST(INVITES, { body }));
}

export function withdrawInvite(id: string) {
  return must(api.DELETE(`${INVITES}/{id}`, { params: { path: { id } } }));
}

/** What an invitation is for, read once: it ends when it is accepted. */
export const openedInviteQuery = (token: string) =>
  queryOptions({
    queryKey: keyOf(`${INVITES}/open`, token),
    queryFn: () => must(api.POST(`${INVITES}/open`, { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Creates the invited user and signs in. */
export function acceptInvite(token: string, password: string) {
  return must(api.POST("/api/admin/invites/accept", { body: { token, password } }));
}

/** Ends the sessions and the API keys of the user whom the link is for. */
export function resetPassword(token: string, password: string) {
  return must(api.POST("/api/admin/password/reset", { body: { token, password } }));
}

/** Has a link mailed to the user of this address; the answer does not say whether there is one. */
export function forgotPassword(email: string) {
  return must(api.POST("/api/admin/password/forgot", { body: { email } }));
}
