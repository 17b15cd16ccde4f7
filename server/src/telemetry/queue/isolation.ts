/** A batch is never called slow below this. */
const MIN_SLOW_MS = 100;
/** A batch is slow when it takes so many times as long as recent batches on average: a database that is slow as a whole is no tenant's doing. */
const SLOW_FACTOR = 4;
const WEIGHT = 0.1;
/** So many tenants of one slow batch are isolated at once; those that were found innocent longest ago first. */
const MAX_SUSPECTS = 16;
/** A tenant leaves isolation after at most 2 to this many good batches. */
const MAX_STRIKES = 10;
/** Tenants whose record is remembered. */
const MAX_RECORDS = 1_000;

/** What is remembered of a tenant that was isolated. */
interface TenantRecord {
  /** Good batches until it shares batches again; 0 when it does. */
  remaining: number;
  /** How often a batch of its own was slow or failed. */
  strikes: number;
  /** The larger, the later it was found innocent. */
  clearedAt: number;
}

/**
 * Decides which tenants share batches with others. When a batch of several tenants is slow or fails, its tenants are isolated: each has
 * batches of its own until one was good. A tenant whose own batch is slow or fails stays isolated for longer each time.
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

  /** Milliseconds after which a batch is slow. */
  slowMs(): number {
    return Math.max(MIN_SLOW_MS, SLOW_FACTOR * this.#averageMs);
  }

  /** Records how long a shared batch took. One slow batch hardly moves the average, many do. */
  record(ms: number): void {
    this.#averageMs += WEIGHT * (Math.min(ms, this.slowMs()) - this.#averageMs);
  }

  /** A batch of these tenants together was slow or failed. */
  suspect(tenantIds: readonly string[]): void {
    const clearedAt = (id: string) => this.#records.get(id)?.clearedAt ?? 0;
    const suspects = tenantIds.toSorted((a, b) => clearedAt(a) - clearedAt(b)).slice(0, MAX_SUSPECTS);
    for (const id of suspects) this.#isolate(id, 1);
  }

  /** A batch of this tenant alone was slow or failed. */
  bad(tenantId: string): void {
    const record = this.#recordOf(tenantId);
    record.strikes = Math.min(record.strikes + 1, MAX_STRIKES);
    this.#isolate(tenantId, 2 ** record.strikes);
  }

  /** A batch of this tenant alone was stored in time. */
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

  /** Forgets the oldest record of a tenant that is not isolated. */
  #forgetOne(): void {
    for (const [id, { remaining }] of this.#records) {
      if (remaining > 0) continue;
      this.#records.delete(id);
      return;
    }
  }
}
