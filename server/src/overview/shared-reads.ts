import type { Db } from "../db/database.ts";
import { TenantTurns } from "../lib/limits/tenant-turns.ts";

/** Serializes each tenant's reads of one kind. Requests for the same before a read begins share it. */
export class SharedReads<T> {
  readonly #turns = new TenantTurns();
  /** Reads that have not begun, by tenant and key. */
  readonly #waiting = new WeakMap<Db, Map<string, Promise<T>>>();

  /**
   * @param key identifies what is read; a shared read begins later, so it sees everything that its callers did before
   */
  read(db: Db, tenantId: string, key: string, read: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(db) ?? new Map<string, Promise<T>>();
    this.#waiting.set(db, waiting);
    const name = `${tenantId} ${key}`;
    const shared = waiting.get(name);
    if (shared) return shared;
    const turn = this.#turns.take(db, tenantId, () => {
      waiting.delete(name);
      return read();
    });
    waiting.set(name, turn);
    return turn;
  }
}
