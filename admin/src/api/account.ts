import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import { keyOf } from "./queries.ts";

const SESSIONS = "/api/admin/sessions";

/** The sessions of the signed-in user. */
export const sessionsQuery = queryOptions({
  queryKey: keyOf(SESSIONS),
  queryFn: ({ signal }) => must(api.GET(SESSIONS, { signal })),
});

/** Signs one of the user's sessions out. */
export function endOwnSession(id: string) {
  return must(api.DELETE(`${SESSIONS}/{id}`, { params: { path: { id } } }));
}
