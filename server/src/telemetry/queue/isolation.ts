/** The lower limit of the time after which a batch is slow. */
const MIN_SLOW_MS = 100;
/**
 * A batch is slow if it exceeds this multiple of the recent average: no tenant is at fault if the whole database is
 * slow.
 */
const SLOW_FACTOR = 4;
const WEIGHT = 0.1;
/** The maximum number of tenants isolated after one slow batch. Those cleared the longest time ago come first. */
const MAX_SUSPECTS = 16;
/** The maximum number of strikes. Each doubles the good batches that a tenant needs to leave isolation. */
const MAX_STRIKES = 10;
/** The maximum number of tenants on record. */
const MAX_RECORDS = 1_000;

/** The record of a tenant that was isolated. */
interface TenantRecord {
  /** The number of good batches until it shares batches again; 0 if it does. */
  remaining: number;
  /** The number of batches of this tenant alone that were slow or failed. */
  strikes: number;
  /** The time of its last clearing on a logical clock. */
  clearedAt: number;
}

/**
 * Decides which tenants share batches. When a shared batch is slow or fails, its tenants are isolated: each gets
 * batches of its own until one succeeds. A tenant whose own batch is slow or fails stays isolated for longer each time.
 */
export class Isolation {
  readonly #records = new Map<string, TenantRecord>();
  #averageMs = 0;
  #cleared = 0;
  #isolated = 0;

  get size(): number {
    return this.#isolated;
  }

  has(tenantId: string): boolean {
    return this.#isolated > 0 && (this.#records.get(tenantId)?.remaining ?? 0) > 0;
  }

  /** Returns the time in milliseconds after which a batch is slow. */
  slowMs(): number {
    return Math.max(MIN_SLOW_MS, SLOW_FACTOR * this.#averageMs);
  }

  /** Records how long a shared batch took. One slow batch hardly moves the average; many do. */
  record(ms: number): void {
    this.#averageMs += WEIGHT * (Math.min(ms, this.slowMs()) - this.#averageMs);
  }

  /** Records that a shared batch of these tenants was slow or failed. */
  suspect(tenantIds: readonly string[]): void {
    const clearedAt = (id: string) => this.#records.get(id)?.clearedAt ?? 0;
    const suspects = tenantIds.toSorted((a, b) => clearedAt(a) - clearedAt(b)).slice(0, MAX_SUSPECTS);
    for (const id of suspects) this.#isolate(id, 1);
  }

  /** Records that a batch of this tenant alone was slow or failed. */
  bad(tenantId: string): void {
    const record = this.#recordOf(tenantId);
    record.strikes = Math.min(record.strikes + 1, MAX_STRIKES);
    this.#isolate(tenantId, 2 ** record.strikes);
  }

  /** Records that a batch of this tenant alone was stored in time. */
  good(tenantId: string): void {
    const record = this.#recordOf(tenantId);
    if (record.remaining === 0) return;
    record.remaining--;
    if (record.remaining > 0) return;
    this.#isolated--;
    record.clearedAt = ++this.#cleared;
  }

  #isolate(tenantId: string, batches: number): void {
    const record = this.#recordOf(tenantId);
    if (record.remaining === 0) this.#isolated++;
    record.remaining = Math.max(record.remaining, batches);
  }

  #recordOf(tenantId: string): TenantRecord {
    const known = this.#records.get(tenantId);
    if (known) return known;
    if (this.#records.size >= MAX_RECORDS) this.#forgetOne();
    const record = { remaining: 0, strikes: 0, clearedAt: 0 };
    this.#records.set(tenantId, record);
    return record;
  }

  /** Removes the oldest record of a tenant that is not isolated. */
  #forgetOne(): void {
    for (const [id, { remaining }] of this.#records) {
      if (remaining > 0) continue;
      this.#records.delete(id);
      return;
    }
  }
}
