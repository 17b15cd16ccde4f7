import { MINUTE } from "../lib/clock.ts";
import type { AccessDeps } from "./deps.ts";
import { noteUse } from "./key-store.ts";

export interface LastUsed {
  /** Notes a use without making the request wait; at most once a minute a key. */
  note(keyId: string, before: Date | null, now: Date, address: string): void;
  /** Waits for what is under way. */
  drain(): Promise<void>;
}

/** Keeps `last_used_at` roughly true: to the minute, and never at the price of a request. */
export function createLastUsed({ database, logger }: AccessDeps): LastUsed {
  const underWay = new Map<string, Promise<void>>();
  return {
    note(keyId, before, now, address) {
      if (underWay.has(keyId) || (before && now.getTime() - before.getTime() < MINUTE)) return;
      const write = noteUse(database.db, keyId, now, address)
        .catch((error: Error) => logger.warn({ err: error.message }, "the use of an API key could not be noted"))
        .finally(() => underWay.delete(keyId));
      underWay.set(keyId, write);
    },
    async drain() {
      await Promise.all(underWay.values());
    },
  };
}
