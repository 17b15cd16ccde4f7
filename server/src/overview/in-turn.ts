import type { Database } from "../db/database.ts";

/** Reads of tenants that run or wait. */
export type Turns<T> = Map<string, { last: Promise<unknown>; waiting: Map<string, Promise<T>> }>;

/** The turns of one kind of read, apart for each database. */
export function turnsByDatabase<T>(): (database: Database) => Turns<T> {
  const known = new WeakMap<Database, Turns<T>>();
  return (database) => {
    const turns = known.get(database) ?? new Map();
    known.set(database, turns);
    return turns;
  };
}

/**
 * Runs `read` when the tenant's earlier reads have ended: one tenant never has two at once, however many are asked for. Those of the same
 * `key` that ask before it begins share it; so each sees everything that its caller did before.
 */
export function inTurn<T>(turns: Turns<T>, tenantId: string, key: string, read: () => Promise<T>): Promise<T> {
  const tenant = turns.get(tenantId) ?? { last: Promise.resolve(), waiting: new Map<string, Promise<T>>() };
  turns.set(tenantId, tenant);
  const shared = tenant.waiting.get(key);
  if (shared) return shared;
  const turn = tenant.last.then(() => {
    tenant.waiting.delete(key);
    return read();
  });
  tenant.waiting.set(key, turn);
  const last = turn
    .catch(() => undefined)
    .then(() => {
      if (tenant.last === last) turns.delete(tenantId);
    });
  tenant.last = last;
  return turn;
}
