import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

export const INVITES = "/api/admin/invites";
export type Invite = Schemas["Invite"];

export const invitesQuery = (skip: number) => read(INVITES, { query: { skip, limit: 20 } });
/** The invitation of a link, read once: it ends when it is accepted. */
export const openedInviteQuery = (token: string) =>
  queryOptions({
    queryKey: [`${INVITES}/open`, token],
    queryFn: () => must(api.POST(`${INVITES}/open`, { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
export const inviteUser = (body: Schemas["InviteCreate"]) => must(api.POST(INVITES, { body }));
export const withdrawInvite = (id: string) => must(api.DELETE(`${INVITES}/{id}`, { params: { path: { id } } }));
/** Creates the invited user and signs in. */
export const acceptInvite = (token: string, password: string) =>
  must(api.POST(`${INVITES}/accept`, { body: { token, password } }));
/** Sets the password of the link's user, and ends the user's sessions and API keys. */
export const resetPassword = (token: string, password: string) =>
  must(api.POST("/api/admin/password/reset", { body: { token, password } }));
/** Mails a link to the user with this address; the answer does not tell whether there is one. */
export const forgotPassword = (email: string) => must(api.POST("/api/admin/password/forgot", { body: { email } }));
