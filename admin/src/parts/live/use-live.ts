import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { affectedBy } from "../../api/live/affected.ts";
import type { LiveState } from "../../api/live/follow-stream.ts";
import { joinSharedStream } from "../../api/live/shared-stream.ts";
import { reportSignedOut } from "../../api/send.ts";
import { readSession } from "../../api/session.ts";

/** The time in which a burst of events causes one reading. */
const COALESCE_MS = 500;

let state: LiveState = "connecting";
const stateListeners = new Set<() => void>();

/** Keeps the screens current while it is mounted, for a user who may follow events. */
export function useLive(allowed: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!allowed) return;
    const refresh = createRefresh(queries);
    const leave = joinSharedStream({
      event: ({ kind }) => refresh.affected(kind),
      reload: () => void queries.invalidateQueries({ predicate: ({ queryKey }) => isLive(queryKey[0]) }),
      state: (next) => {
        state = next;
        if (next === "ended") void leaveWithoutSession();
        for (const listener of stateListeners) listener();
      },
    });
    return () => {
      leave();
      refresh.stop();
    };
  }, [queries, allowed]);
}

/** Leads to the sign-in if a refused stream has lost its session, and not only the right to follow. */
async function leaveWithoutSession(): Promise<void> {
  const session = await readSession().catch(() => undefined);
  if (session === null) reportSignedOut();
}

/** Returns whether the screens follow the service. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => state,
  );
}

function isLive(path: unknown): boolean {
  return typeof path === "string" && path.startsWith("/api/admin/") && path !== "/api/admin/session";
}

function createRefresh(queries: QueryClient) {
  let stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    const beginnings = [...stale];
    stale = new Set();
    timer = undefined;
    const isStale = (path: unknown) => typeof path === "string" && beginnings.some((each) => path.startsWith(each));
    void queries.invalidateQueries({ predicate: ({ queryKey }) => isStale(queryKey[0]) });
  };
  return {
    affected(kind: string) {
      for (const beginning of affectedBy(kind)) stale.add(beginning);
      timer ??= setTimeout(run, COALESCE_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
