import type { RetainedChange, RetainedMessages, VersionedMessage } from "../../connections/connections.ts";
import type { Clock } from "../../lib/clock.ts";
import { type CoalescedRuns, coalesceRuns } from "../../lib/coalesce-runs.ts";
import { messageOf } from "../sessions/stored-form.ts";
import { Turnstile } from "../turnstile.ts";
import { TenantRetained } from "./tenant-retained.ts";

export interface RetainedCacheDeps {
  retained: Pick<RetainedMessages, "all" | "read">;
  clock: Clock;
  limits: { retainedCacheBytes: number };
}

interface Cached {
  retained: TenantRetained;
  loading: CoalescedRuns;
  /** Topics with a waiting reader. */
  asked: Set<string>;
  reading: CoalescedRuns;
}

/** The number of concurrent database reads. */
const READS = 4;
/** The number of topics per read. */
const TOPICS = 500;
/** The number of reads of a topic that keeps changing; after that, the last version found is delivered. */
const ATTEMPTS = 3;

/**
 * Caches the retained messages of the tenants whose clients have subscribed most recently. A tenant is read once as a
 * whole; later changes are read on demand. At most one read per tenant is in flight, however many clients subscribe.
 */
export class RetainedCache {
  readonly #deps: RetainedCacheDeps;
  readonly #reads = new Turnstile(READS);
  /** The tenants, least recently used first. */
  #tenants = new Map<string, Cached>();

  constructor(deps: RetainedCacheDeps) {
    this.#deps = deps;
  }

  /** Returns the cached messages of a tenant. */
  peek(tenantId: string): TenantRetained | undefined {
    return this.#tenants.get(tenantId)?.retained;
  }

  /** Returns how many topics a search for `filter` compares, as far as known. */
  comparisons(tenantId: string, filter: string): number {
    return /[+#]/.test(filter) ? (this.peek(tenantId)?.size ?? 0) + 1 : 1;
  }

  /** Returns a tenant's messages if all that `filter` matches are cached and current. */
  current(tenantId: string, filter: string): TenantRetained | undefined {
    const { retained } = this.#use(tenantId);
    return retained.isLoaded && retained.stale(filter).length === 0 ? retained : undefined;
  }

  /** Returns a tenant's messages after reading missing ones from the database. Rejects if that fails. */
  async read(tenantId: string, filter: string): Promise<TenantRetained> {
    const cached = this.#use(tenantId);
    const { retained } = cached;
    if (!retained.isLoaded) await cached.loading.run();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stale = retained.stale(filter);
      if (stale.length === 0) break;
      for (const topic of stale) cached.asked.add(topic);
      await cached.reading.run();
    }
    this.#evict(cached);
    return retained;
  }

  /** @returns whether the change was unknown and concerns a cached tenant */
  changed({ tenantId, topic, version }: RetainedChange): boolean {
    return this.peek(tenantId)?.changed(topic, version) ?? false;
  }

  /** Invalidates the messages that this owner has published. */
  recheck(ownerId: string): void {
    for (const { retained } of this.#tenants.values()) retained.recheck(ownerId);
  }

  /** Clears the cache, because changes may have been missed. */
  clear(): void {
    this.#tenants = new Map();
  }

  #use(tenantId: string): Cached {
    const cached = this.#tenants.get(tenantId) ?? this.#create(tenantId);
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, cached);
    return cached;
  }

  #create(tenantId: string): Cached {
    const retained = new TenantRetained();
    const asked = new Set<string>();
    return {
      retained,
      asked,
      loading: coalesceRuns(() => this.#reads.pass(() => this.#load(tenantId, retained))),
      reading: coalesceRuns(() => this.#reads.pass(() => this.#readAsked(tenantId, retained, asked))),
    };
  }

  async #load(tenantId: string, retained: TenantRetained): Promise<void> {
    if (retained.isLoaded) return;
    for await (const part of this.#deps.retained.all(tenantId)) this.#found(retained, part);
    retained.isLoaded = true;
  }

  async #readAsked(tenantId: string, retained: TenantRetained, asked: Set<string>): Promise<void> {
    while (asked.size > 0) {
      const topics = [...asked].slice(0, TOPICS);
      for (const topic of topics) asked.delete(topic);
      const changes = retained.changesOf(topics);
      const found = await this.#deps.retained.read(tenantId, topics);
      this.#found(retained, found);
      retained.wereRead(changes, new Set(found.map(({ topic }) => topic)));
    }
  }

  #found(retained: TenantRetained, messages: readonly VersionedMessage[]): void {
    for (const row of messages) retained.found(row.ownerId, messageOf(this.#deps, row), row.version);
  }

  /** Evicts the least recently used tenants beyond the byte limit of this process. */
  #evict(used: Cached): void {
    let bytes = 0;
    for (const { retained } of this.#tenants.values()) bytes += retained.bytes;
    for (const [tenantId, cached] of this.#tenants) {
      if (bytes <= this.#deps.limits.retainedCacheBytes) return;
      if (cached === used) continue;
      bytes -= cached.retained.bytes;
      this.#tenants.delete(tenantId);
    }
  }
}
