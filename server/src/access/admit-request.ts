import { MINUTE } from "../lib/clock.ts";
import type { Caller } from "./caller.ts";
import type { AccessDeps } from "./deps.ts";
import { passWindow, type WindowRow } from "./rate-limit-store.ts";

/** Requests that any 60 seconds admit, per API key (spec 8). */
export const REQUESTS_PER_MINUTE = 120;

/** Whether a request may pass, and what the rate-limit headers say. */
export interface Admission {
  admitted: boolean;
  limit: number;
  windowSeconds: number;
  /** Requests left in the window that ends now. */
  remaining: number;
  /** Whole seconds until the oldest counted request leaves the window: after that one more is admitted. */
  resetSeconds: number;
}

export interface RequestLimiter {
  admit(caller: Caller): Promise<Admission>;
}

/** Keys remembered; a forgotten one falls back on the wall clock once. */
const MOST_KEYS = 10_000;

/** Counts the requests of each key over all processes of one database; refused requests do not count. */
export function createRequestLimiter({ database, clock }: AccessDeps): RequestLimiter {
  /** By key: how far the key's clock is ahead of this process's steady one, at least. */
  const leads = new Map<string, number>();

  /** Both the lead known before and the one just seen hold, so the greater does; keeping it never slows the clock down. */
  function remember(keyId: string, lead: number): void {
    const known = leads.get(keyId) ?? lead;
    leads.delete(keyId);
    leads.set(keyId, Math.max(known, lead));
    if (leads.size > MOST_KEYS) leads.delete(leads.keys().next().value!);
  }

  return {
    async admit({ rights }) {
      if (rights.kind !== "key") return admission({ now_ms: 0, passed: true, used: 0, oldest_ms: null });
      const lead = leads.get(rights.keyId);
      const expectedMs = lead === undefined ? null : lead + clock.monotonicMs();
      const wallMs = clock.now().getTime();
      const { db } = database;
      const row = await passWindow(db, rights.keyId, expectedMs, wallMs, REQUESTS_PER_MINUTE, MINUTE);
      remember(rights.keyId, row.now_ms - clock.monotonicMs());
      return admission(row);
    },
  };
}

function admission(row: WindowRow): Admission {
  const untilFree = row.oldest_ms === null ? 0 : row.oldest_ms + MINUTE - row.now_ms;
  return {
    admitted: row.passed,
    limit: REQUESTS_PER_MINUTE,
    windowSeconds: MINUTE / 1000,
    remaining: REQUESTS_PER_MINUTE - row.used,
    resetSeconds: Math.max(0, Math.ceil(untilFree / 1000)),
  };
}
