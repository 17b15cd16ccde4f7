import { plainAddress } from "../../lib/address.ts";
import { RequestBatcher } from "../../lib/batching/request-batcher.ts";
import type { AccessDeps } from "../deps.ts";
import type { ParsedKey } from "../keys/api-key.ts";
import { type AuthorizedKey, authorizeKeys } from "./rate-limit-store.ts";
import type { RequestClock } from "./request-clock.ts";

/** An active key and the state of its window for one request. */
export interface Authorization {
  key: AuthorizedKey;
  /** Whether the request comes from where requests of the key may; if not, it is not counted. */
  allowed: boolean;
  passed: boolean;
  /** The requests counted in the window, including this one. */
  used: number;
  /** The time of authorization, by the wall clock and by the request clock. */
  now: Date;
  nowMs: number;
}

/** A key as one request presents it. */
export interface PresentedUse extends ParsedKey {
  address: string;
}

export interface Admissions {
  /** @returns `undefined` unless the key is active and the secret matches */
  authorize(use: PresentedUse): Promise<Authorization | undefined>;
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
  const batcher = new RequestBatcher<PresentedUse, Authorization | undefined>({
    most: MAX_BATCH,
    delaysAtMostMs: MAX_WAIT_MS,
    run: authorizeAll,
    failsWholeBatch: () => true,
    sparesWaiting: true,
  });

  async function authorizeAll(keys: readonly PresentedUse[]): Promise<(Authorization | undefined)[]> {
    const now = clock.now();
    const nowMs = await requestClock.now();
    const groups = groupByKey(keys);
    const presented = groups.map((places) => {
      const { id, secretHash } = keys[places[0]!]!;
      return { id, secretHash, addresses: places.map((place) => plainAddress(keys[place]!.address)) };
    });
    const answers = new Array<Authorization | undefined>(keys.length).fill(undefined);
    for (const key of await authorizeKeys(database.db, presented, now, nowMs)) {
      requestClock.advanceTo(key.newest_ms);
      let turn = 0;
      for (const [index, place] of groups[key.nth - 1]!.entries()) {
        const allowed = key.allowed?.[index] ?? true;
        answers[place] = { key, allowed, ...inTurn(key, turn), now, nowMs };
        if (allowed) turn++;
      }
    }
    return answers;
  }

  return { authorize: (key) => batcher.ask(key) };
}

/** Groups the places of requests that present the same key, in order of arrival. */
function groupByKey(keys: readonly PresentedUse[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [place, { id, secretHash }] of keys.entries()) {
    const name = id + secretHash;
    const group = groups.get(name);
    if (group) group.push(place);
    else groups.set(name, [place]);
  }
  return [...groups.values()];
}

/** Admits the first requests of a key; `turn` counts from 0. */
function inTurn({ passed, used }: AuthorizedKey, turn: number): { passed: boolean; used: number } {
  return turn < passed ? { passed: true, used: used - (passed - 1 - turn) } : { passed: false, used };
}
