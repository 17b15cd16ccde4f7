import type { ParsedKey } from "./api-key.ts";
import type { AccessDeps } from "./deps.ts";
import { type JudgedKey, judgeKeys } from "./rate-limit-store.ts";
import type { RequestClock } from "./request-clock.ts";

/** A live key and what its window says of one request. */
export interface Verdict {
  key: JudgedKey;
  passed: boolean;
  /** Requests counted in the window up to and with this one. */
  used: number;
  /** When it was judged: on the wall, and on the request clock. */
  now: Date;
  nowMs: number;
}

export interface Admissions {
  /** @returns `undefined` unless the key is alive and the secret its own */
  judge(key: ParsedKey): Promise<Verdict | undefined>;
}

interface Waiting extends ParsedKey {
  resolve(verdict: Verdict | undefined): void;
  reject(error: unknown): void;
}

/** More would make the first wait for too many rows. */
const MOST_AT_ONCE = 200;
/** A batch that takes longer (a row locked elsewhere, a database that hangs) does not hold up the next. */
const PATIENCE_MS = 100;

/**
 * Judges requests in batches: while a statement is under way the next batch gathers, so that a busy service asks the database
 * less often a request, and a quiet one waits for nothing.
 */
export function createAdmissions({ database, clock }: AccessDeps, requestClock: RequestClock): Admissions {
  let waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    // Whatever else has arrived in this turn of the event loop goes into the first batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE);
      waiting = waiting.slice(MOST_AT_ONCE);
      await forAWhile(settle(batch));
    }
    running = false;
  }

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      await judgeAll(groupByKey(batch));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function judgeAll(groups: readonly (readonly Waiting[])[]): Promise<void> {
    const now = clock.now();
    const nowMs = await requestClock.now();
    const presented = groups.map((group) => ({ ...group[0]!, requests: group.length }));
    const judged = new Map((await judgeKeys(database.db, presented, now, nowMs)).map((key) => [key.nth, key]));
    for (const [index, group] of groups.entries()) {
      const key = judged.get(index + 1);
      if (key) requestClock.learn(key.newest_ms);
      for (const [turn, { resolve }] of group.entries()) resolve(key && { key, ...inTurn(key, turn), now, nowMs });
    }
  }

  return {
    judge: ({ id, secretHash }) =>
      new Promise((resolve, reject) => {
        waiting.push({ id, secretHash, resolve, reject });
        if (running) return;
        running = true;
        void run();
      }),
  };
}

async function forAWhile(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}

/** Requests that present the same key, in the order they came. */
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

/** Of the requests judged together the first ones pass; `turn` counts from 0. */
function inTurn({ passed, used }: JudgedKey, turn: number): { passed: boolean; used: number } {
  return turn < passed ? { passed: true, used: used - (passed - 1 - turn) } : { passed: false, used };
}
