import type { Clock } from "../lib/clock.ts";
import { UniqueQueue } from "../lib/collections/unique-queue.ts";
import type { BrokerLimits } from "./limits.ts";
import { RateLimit } from "./rate-limit.ts";
import { SessionBudget, type Totals } from "./session-budget.ts";
import { SlowPackets } from "./slow-packets.ts";

type InboundLimits = Pick<
  BrokerLimits,
  "mqttUnsettledBytesPerSession" | "mqttUnsettledBytesPerTenant" | "mqttUnsettledBytes" | "mqttBytesPerSecondPerTenant"
>;

/**
 * Counts the bytes of PUBLISH packets that this process is reading or has read but not finished (stored, refused or
 * dropped): per session, per tenant and in total. A session without room is not read. While the total is over its
 * limit, only tenants below the average are read. A tenant's sessions are also read no faster than its rate.
 */
export class InboundBudget {
  readonly limits: InboundLimits;
  readonly clock: Clock;
  readonly #tenants = new Map<string, TenantBudget>();
  /** Tenants with waiting sessions, longest wait first. */
  readonly #waiting = new Set<TenantBudget>();
  bytes = 0;
  /** The number of tenants that have unsettled bytes. */
  sending = 0;

  constructor(limits: InboundLimits, clock: Clock) {
    this.limits = limits;
    this.clock = clock;
  }

  /** @param resume see {@link SessionBudget} */
  open(tenantId: string, resume: () => void): SessionBudget {
    const tenant = this.#tenants.get(tenantId) ?? new TenantBudget(this, tenantId);
    this.#tenants.set(tenantId, tenant);
    tenant.sessions++;
    return new SessionBudget(tenant, resume);
  }

  /** Updates whether `tenant` has waiting sessions. */
  waits(tenant: TenantBudget): void {
    if (tenant.isWaiting) this.#waiting.add(tenant);
    else this.#waiting.delete(tenant);
  }

  get isFull(): boolean {
    return this.bytes >= this.limits.mqttUnsettledBytes;
  }

  /** Resumes waiting sessions of every tenant while the process has room. */
  resumeWaiting(): void {
    for (const tenant of this.#waiting) {
      if (this.isFull) return;
      tenant.resumeWaiting();
    }
  }

  forget(tenant: TenantBudget): void {
    this.#tenants.delete(tenant.id);
  }
}

/** The bytes of one tenant, and its sessions that wait because the tenant or the process has too many. */
class TenantBudget implements Totals {
  readonly id: string;
  sessions = 0;
  readonly #all: InboundBudget;
  readonly #waiting = new UniqueQueue<SessionBudget>();
  readonly #slow = new SlowPackets();
  readonly #rate: RateLimit;
  #rateTimer: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(all: InboundBudget, id: string) {
    this.#all = all;
    this.id = id;
    const { mqttBytesPerSecondPerTenant: mqttBytesPerSecond } = all.limits;
    this.#rate = new RateLimit({ mqttMessagesPerSecond: Infinity, mqttBytesPerSecond }, all.clock);
  }

  get sessionBytes(): number {
    return this.#all.limits.mqttUnsettledBytesPerSession;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  hasRoom(): boolean {
    const { limits, bytes, sending } = this.#all;
    if (this.#bytes >= limits.mqttUnsettledBytesPerTenant) return false;
    if (this.#rate.allowance() < 1) {
      this.#waitForRate();
      return false;
    }
    return bytes < limits.mqttUnsettledBytes || this.#bytes * sending < bytes;
  }

  isHalfEmpty(): boolean {
    const { limits, bytes } = this.#all;
    return this.#bytes < limits.mqttUnsettledBytesPerTenant / 2 && bytes < limits.mqttUnsettledBytes / 2;
  }

  count(bytes: number): void {
    if (bytes === 0) return;
    const had = this.#bytes > 0;
    const wasFull = this.#all.isFull;
    this.#bytes += bytes;
    this.#all.bytes += bytes;
    this.#all.sending += Number(this.#bytes > 0) - Number(had);
    if (bytes > 0) return;
    this.resumeWaiting();
    if (wasFull) this.#all.resumeWaiting();
    this.#forgetUnused();
  }

  spend(bytes: number): void {
    this.#rate.spend(0, bytes);
  }

  wait(session: SessionBudget): void {
    this.#waiting.add(session);
    this.#all.waits(this);
    this.#slow.watch();
  }

  collects(session: SessionBudget, isCollecting: boolean): void {
    if (isCollecting) this.#slow.add(session);
    else this.#slow.delete(session);
  }

  closed(session: SessionBudget): void {
    this.sessions--;
    this.#stopWaiting(session);
    this.#forgetUnused();
  }

  /** Resumes sessions in turn while there is room. A session that finds none goes to the back of the queue. */
  resumeWaiting(): void {
    for (let left = this.#waiting.size; left > 0 && this.hasRoom(); left--) {
      const session = this.#waiting.take();
      this.#all.waits(this);
      session?.resume();
    }
  }

  #waitForRate(): void {
    if (this.#rateTimer) return;
    const ms = this.#rate.waitMs();
    this.#rateTimer = setTimeout(() => {
      this.#rateTimer = undefined;
      this.#rate.waited(ms);
      this.resumeWaiting();
    }, ms).unref();
  }

  #stopWaiting(session: SessionBudget): void {
    this.#waiting.delete(session);
    this.#all.waits(this);
  }

  #forgetUnused(): void {
    if (this.sessions === 0 && this.#bytes === 0) this.#all.forget(this);
  }
}
