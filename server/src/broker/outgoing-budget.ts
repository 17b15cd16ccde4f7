import type { BrokerLimits } from "./limits.ts";
import { TICK_MS, type Timed, type TimerWheel } from "./timer-wheel.ts";

/** A session with bytes that wait to be sent. */
export interface Waiting {
  /** 0 once the session has ended. */
  readonly waitingBytes: number;
  /** Ends the session because it is too far behind. */
  onBacklog(): void;
}

/** The minimum that is counted: most sessions never have more waiting. */
export const COUNTED_BYTES = 4 * 1024;

/** The fraction of the process's limit that must be free before an overload counts as over. */
const FREE_AGAIN = 1 / 8;

interface Tenant {
  bytes: number;
  sessions: Map<Waiting, number>;
}

/**
 * Counts the bytes that wait in this process for clients that do not read or do not acknowledge, per tenant and in
 * total. If a tenant exceeds its limit, its largest session is ended. If the process does, the largest tenant loses its
 * largest session.
 */
export class OutgoingBudget implements Timed {
  dueTick = 0;
  bytes = 0;
  readonly #limits: Pick<BrokerLimits, "mqttBacklogBytesPerTenant" | "mqttBacklogBytesOfAll">;
  readonly #wheel: Pick<TimerWheel, "set">;
  readonly #tenants = new Map<string, Tenant>();
  #isOver = false;

  constructor(
    limits: Pick<BrokerLimits, "mqttBacklogBytesPerTenant" | "mqttBacklogBytesOfAll">,
    wheel: Pick<TimerWheel, "set">,
  ) {
    this.#limits = limits;
    this.#wheel = wheel;
  }

  /**
   * Whether sessions were ended because the process exceeded its limit and the total has not dropped enough since. A
   * new session would add to it.
   */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Updates the count of a session's waiting bytes, and makes room if a limit is exceeded. */
  count(tenantId: string, session: Waiting): void {
    const tenant = this.#tenants.get(tenantId);
    const bytes = session.waitingBytes;
    if (bytes < COUNTED_BYTES) {
      if (tenant) this.#set(tenantId, tenant, session, 0);
      return;
    }
    if (this.#tenants.size === 0) this.#wheel.set(this, TICK_MS);
    const counted = tenant ?? { bytes: 0, sessions: new Map() };
    this.#tenants.set(tenantId, counted);
    this.#set(tenantId, counted, session, bytes);
    this.#makeRoom(tenantId, counted);
  }

  /** Recounts every counted session, because sockets do not report when they have sent bytes. */
  onDue(): void {
    for (const [tenantId, { sessions }] of [...this.#tenants]) {
      for (const session of [...sessions.keys()]) this.count(tenantId, session);
    }
    if (this.#tenants.size > 0) this.#wheel.set(this, TICK_MS);
  }

  #set(tenantId: string, tenant: Tenant, session: Waiting, bytes: number): void {
    const change = bytes - (tenant.sessions.get(session) ?? 0);
    tenant.bytes += change;
    this.bytes += change;
    if (bytes > 0) tenant.sessions.set(session, bytes);
    else tenant.sessions.delete(session);
    if (tenant.sessions.size === 0) this.#tenants.delete(tenantId);
    if (this.bytes <= this.#limits.mqttBacklogBytesOfAll * (1 - FREE_AGAIN)) this.#isOver = false;
  }

  #makeRoom(tenantId: string, tenant: Tenant): void {
    while (tenant.bytes > this.#limits.mqttBacklogBytesPerTenant) this.#endLargest(tenantId, tenant);
    while (this.bytes > this.#limits.mqttBacklogBytesOfAll) {
      this.#isOver = true;
      const [id, largest] = largestOf(this.#tenants, ({ bytes }) => bytes);
      this.#endLargest(id, largest);
    }
  }

  #endLargest(tenantId: string, tenant: Tenant): void {
    const [session] = largestOf(tenant.sessions, (bytes) => bytes);
    // Uncount it before it ends: bytes that it passes on to other sessions are counted there.
    this.#set(tenantId, tenant, session, 0);
    session.onBacklog();
  }
}

/** Returns the largest entry. @param entries at least one */
function largestOf<K, V>(entries: ReadonlyMap<K, V>, sizeOf: (value: V) => number): [K, V] {
  let largest: [K, V] | undefined;
  for (const entry of entries) if (!largest || sizeOf(entry[1]) > sizeOf(largest[1])) largest = entry;
  return largest!;
}
