import { createBatcher } from "../../lib/batching/batcher.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import type { AccessDeps } from "../deps.ts";
import type { ParsedKey } from "../keys/api-key.ts";
import { type AuthorizedKey, authorizeKeys } from "./rate-limit-store.ts";
import type { RequestClock } from "./request-clock.ts";

/** An active key and the state of its window for one request. */
export interface Authorization {
  key: AuthorizedKey;
  passed: boolean;
  /** The requests counted in the window, including this one. */
  used: number;
  /** The time of authorization, by the wall clock and by the request clock. */
  now: Date;
  nowMs: number;
}

export interface Admissions {
  /** @returns `undefined` unless the key is active and the secret matches */
  authorize(key: ParsedKey): Promise<Authorization | undefined>;
}

interface Waiting extends ParsedKey {
  resolve(authorization: Authorization | undefined): void;
  reject(error: unknown): void;
}

/** Bounds the number of rows that the first request of a batch waits for. */
const MAX_BATCH = 200;
/** A slower batch (a locked row, a hanging database) does not delay the next. */
const MAX_WAIT_MS = 100;

/**
 * Authorizes requests in batches: while one statement runs, the next batch collects. Under load this needs fewer
 * statements per request; a single request does not wait.
 */
export function createAdmissions({ database, clock }: AccessDeps, requestClock: RequestClock): Admissions {
  const batcher = createBatcher<Waiting>({
    batchSize: ({ length }) => Math.min(length, MAX_BATCH),
    process: (batch) => withTimeout(settle(batch), MAX_WAIT_MS, () => undefined),
  });

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      await authorizeAll(groupByKey(batch));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function authorizeAll(groups: readonly (readonly Waiting[])[]): Promise<void> {
    const now = clock.now();
    const nowMs = await requestClock.now();
    const presented = groups.map((group) => ({ ...group[0]!, requests: group.length }));
    const authorized = new Map((await authorizeKeys(database.db, presented, now, nowMs)).map((key) => [key.nth, key]));
    for (const [index, group] of groups.entries()) {
      const key = authorized.get(index + 1);
      if (key) requestClock.advanceTo(key.newest_ms);
      for (const [turn, { resolve }] of group.entries()) resolve(key && { key, ...inTurn(key, turn), now, nowMs });
    }
  }

  return {
    authorize: ({ id, secretHash }) =>
      new Promise((resolve, reject) => batcher.add({ id, secretHash, resolve, reject })),
  };
}

/** Groups requests that present the same key, in order of arrival. */
function groupByKey(batch: readonly Waiting[]): Waiting[][] {
  const groups = new Map<string, Waiting[]>();
  for (const each of batch) {
    const name = each.id + each.secretHash;
    const group = groups.get(name);
    if (group) group.push(each);
    else groups.set(name, [each]);
  }
  return [...groups.values()];
}

/** Admits the first requests of a key; `turn` counts from 0. */
function inTurn({ passed, used }: AuthorizedKey, turn: number): { passed: boolean; used: number } {
  return turn < passed ? { passed: true, used: used - (passed - 1 - turn) } : { passed: false, used };
}
