import { MINUTE } from "../../lib/clock.ts";
import type { AccessDeps } from "../deps.ts";
import { recordUse } from "./key-store.ts";

export interface LastUsed {
  /** Records a use without delaying the request, at most once per minute and key. */
  record(keyId: string, before: Date | null, now: Date, address: string): void;
  /** Waits for pending writes. */
  drain(): Promise<void>;
}

/** Maintains `last_used_at` to the minute, off the request path. */
export function createLastUsed({ database, logger }: AccessDeps): LastUsed {
  const inFlight = new Map<string, Promise<void>>();
  return {
    record(keyId, before, now, address) {
      if (inFlight.has(keyId) || (before && now.getTime() - before.getTime() < MINUTE)) return;
      const write = recordUse(database.db, keyId, now, address)
        .catch((error: Error) => logger.warn({ err: error.message }, "could not record the use of an API key"))
        .finally(() => inFlight.delete(keyId));
      inFlight.set(keyId, write);
    },
    async drain() {
      await Promise.all(inFlight.values());
    },
  };
}
