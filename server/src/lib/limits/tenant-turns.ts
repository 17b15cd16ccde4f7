interface Turns {
  /** The number of tasks running or waiting. */
  count: number;
  /** Settles when all of them have ended. */
  last: Promise<unknown>;
}

/**
 * Serializes tasks of one kind per tenant in this process. However many tasks a tenant requests, they take at most one
 * connection, and on a database that does one thing at a time other tenants wait for at most one such task.
 */
export class TenantTurns {
  readonly #databases = new WeakMap<object, Map<string, Turns>>();

  /** Returns how many of the tenant's tasks run or wait. */
  count(database: object, tenantId: string): number {
    return this.#databases.get(database)?.get(tenantId)?.count ?? 0;
  }

  /** Runs `work` after the tenant's earlier work has ended, successfully or not. */
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
