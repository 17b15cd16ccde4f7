import { useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type Session, startSession } from "../api/session.ts";
import { samePlacePath } from "./same-place-path.ts";

/**
 * Opens the app with the session of a sign-in, at the address that the user wanted: this page's, or the given one.
 */
export function useEnter(): (session: Session, wanted?: unknown) => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  const { next } = useSearch({ strict: false }) as { next?: unknown };
  return async (session, wanted = next) => {
    await startSession(queries, session);
    await router.invalidate();
    await router.navigate({ href: samePlacePath(wanted, location.origin), replace: true });
  };
}
