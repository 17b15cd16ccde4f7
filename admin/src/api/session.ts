import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import { Problem, problemOf } from "./problem.ts";

export type Session = Schemas["Session"];

const PATH = "/api/admin/session";

/** Returns the session, or null if there is none. Scripts cannot read its cookie, so the service is asked. */
export async function readSession(): Promise<Session | null> {
  const { data, error, response } = await api.GET(PATH);
  if (response.status === 401) return null;
  if (!response.ok) throw problemOf(response, error);
  return data ?? null;
}

export const sessionQuery = queryOptions({
  queryKey: [PATH],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Whether the session may be used: a required second factor has been given. */
export function isComplete(session: Session | null | undefined): session is Session {
  return session !== null && session !== undefined && session.factor !== "required";
}

/**
 * Whether the user must visit the account page first. Until the user has chosen a password, and has the second factor
 * that the tenant requires, the service refuses all other requests.
 */
export function isAccountFirst({ passwordDue, factor }: Session): boolean {
  return passwordDue || factor === "due";
}

/** Stores the session of a sign-in, and clears the cache of an earlier user's answers. */
export async function startSession(queries: QueryClient, session: Session): Promise<void> {
  await replaceSession(queries, session);
}

/**
 * Signs out, even if the session has already ended. Pending requests are canceled first, because the service would
 * refuse them. They are sent again if signing out fails.
 */
export async function endSession(queries: QueryClient): Promise<void> {
  await queries.cancelQueries();
  await must(api.DELETE(PATH)).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 401) return;
    void queries.refetchQueries({ type: "active", stale: true });
    throw error;
  });
  await forgetSession(queries);
}

export async function forgetSession(queries: QueryClient): Promise<void> {
  await replaceSession(queries, null);
}

/**
 * Replaces the session in the cache. Its query stays, so that screens see the change; a pending answer cannot undo it.
 */
async function replaceSession(queries: QueryClient, session: Session | null): Promise<void> {
  await queries.cancelQueries();
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== PATH });
  queries.setQueryData(sessionQuery.queryKey, session);
}
