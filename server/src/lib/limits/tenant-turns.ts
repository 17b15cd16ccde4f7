interface Turns {
  /** How many run or wait. */
  count: number;
  /** Settles when all of them have ended. */
  last: Promise<unknown>;
}

/**
 * Work of one kind that each tenant has done one after the other in this process, however often it asks: it takes one connection at most,
 * and on a database that does one thing at a time other tenants wait for one such work.
 */
export class TenantTurns {
  readonly #databases = new WeakMap<object, Map<string, Turns>>();

  /** How many of the tenant run or wait. */
  count(database: object, tenantId: string): number {
    return this.#databases.get(database)?.get(tenantId)?.count ?? 0;
  }

  /** Runs `work` when the tenant's earlier work has ended, whether it failed or not. */
  async take<T>(database: object, tenantId: string, work: () => Promise<T>): Promise<T> {
    const tenants = this.#databases.get(database) ?? new Map<string, Turns>();
    this.#databases.set(database, tenants);
    const turns = tenants.get(tenantId) ?? { count: 0, last: Promise.resolve() };
    tenants.set(tenantId, turns);
    const running = turns.last.then(work);
    turns.last = running.catch(() => undefined);
    turns.count++;
    try {
      return await running;
    } finally {
      if (--turns.count === 0) tenants.delete(tenantId);
    }
  }
}
