import type { Db } from "../db/types.ts";
import { records } from "../lib/limits/records.ts";
import { rateLimited } from "../lib/request-errors.ts";

/** The searches of each tenant that run or wait, in their order, by database. */
const queues = new WeakMap<Db, Map<string, Promise<unknown>[]>>();

/**
 * Runs `search` when the tenant's earlier ones have ended: one tenant never has two at once in a process.
 *
 * @throws MusterError rate_limited when too many wait
 */
export async function oneLongSearch<T>(db: Db, tenantId: string, search: () => Promise<T>): Promise<T> {
  const tenants = queues.get(db) ?? new Map<string, Promise<unknown>[]>();
  queues.set(db, tenants);
  const queue = tenants.get(tenantId) ?? [];
  tenants.set(tenantId, queue);
  if (queue.length > records.waitingSearches.value)
    throw rateLimited(
      "Too many searches and sorted lists of the tenant are being read. Narrow them by another filter, or send them one by one.",
      1,
    );
  const before = queue.at(-1);
  const running = (async () => {
    await before?.catch(() => undefined);
    return await search();
  })();
  queue.push(running);
  try {
    return await running;
  } finally {
    queue.shift();
    if (queue.length === 0) tenants.delete(tenantId);
  }
}

/** The end of the last step of each tenant that runs or waits, by database. */
const steps = new WeakMap<Db, Map<string, Promise<unknown>>>();

/**
 * Runs a step of a search when the tenant's earlier steps have ended. So what another tenant asks meanwhile waits for one step, on a
 * database that does one thing at a time too, however many searches begin at once.
 */
export async function oneStep<T>(db: Db, tenantId: string, step: () => Promise<T>): Promise<T> {
  const last = steps.get(db) ?? new Map<string, Promise<unknown>>();
  steps.set(db, last);
  const before = last.get(tenantId);
  const running = before === undefined ? step() : before.then(step);
  const ended = running.catch(() => undefined);
  last.set(tenantId, ended);
  try {
    return await running;
  } finally {
    if (last.get(tenantId) === ended) last.delete(tenantId);
  }
}
