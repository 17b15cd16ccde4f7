import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import { Problem, problemOf } from "./problem.ts";
import { keyOf } from "./queries.ts";

export type Session = Schemas["Session"];

const PATH = "/api/admin/session";

/** The session, or null where there is none: its cookie is out of the reach of scripts, so the service is asked. */
export async function readSession(): Promise<Session | null> {
  const { data, error, response } = await api.GET(PATH);
  if (response.status === 401) return null;
  if (!response.ok) throw problemOf(response, error);
  return data ?? null;
}

export const sessionQuery = queryOptions({
  queryKey: keyOf(PATH),
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Whether the session may be used: a required second factor has been given. */
export function isComplete(session: Session | null | undefined): session is Session {
  return session !== null && session !== undefined && session.factor !== "required";
}

/** Whether the account comes first: the service answers nothing else before the user has a password of their own, and the factor that the tenant asks for. */
export function isAccountFirst({ passwordDue, factor }: Session): boolean {
  return passwordDue || factor === "due";
}

/** Records the session that a sign-in has answered with. What an earlier user has read is forgotten. */
export async function startSession(queries: QueryClient, session: Session): Promise<void> {
  await replaceSession(queries, session);
}

/** Signs out, also where the session has ended already. Requests under way are cancelled first: the service would refuse them. */
export async function endSession(queries: QueryClient): Promise<void> {
  await queries.cancelQueries();
  await must(api.DELETE(PATH)).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
  });
  await forgetSession(queries);
}

export async function forgetSession(queries: QueryClient): Promise<void> {
  await replaceSession(queries, null);
}

/** The session's own query stays in the cache: screens that show it see the change. An answer that is under way cannot undo it. */
async function replaceSession(queries: QueryClient, session: Session | null): Promise<void> {
  await queries.cancelQueries();
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== PATH });
  queries.setQueryData(sessionQuery.queryKey, session);
}
