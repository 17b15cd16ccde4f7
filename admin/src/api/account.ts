import { api, must } from "./client.ts";
import { read } from "./read.ts";

const SESSIONS = "/api/admin/sessions";

/** The sessions of the signed-in user. */
export const sessionsQuery = read(SESSIONS);
/** Signs out one of the user's sessions. */
export const endOwnSession = (id: string) => must(api.DELETE(`${SESSIONS}/{id}`, { params: { path: { id } } }));
/** Signs out all other sessions of the user. */
export const endOtherSessions = () => must(api.DELETE(SESSIONS));
