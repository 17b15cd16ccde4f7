import type { BrokerLimits } from "./limits.ts";
import { TICK_MS, type Timed, type TimerWheel } from "./timer-wheel.ts";

/** A session for which bytes wait. */
export interface Waiting {
  /** 0 once it has ended. */
  readonly waitingBytes: number;
  /** Ends it: it is too far behind. */
  onBacklog(): void;
}

/** Less than this is not counted: most sessions never have more. */
export const COUNTED_BYTES = 4 * 1024;

/** Once there was too much for the process, so much of its limit must be free again. */
const FREE_AGAIN = 1 / 8;

interface Tenant {
  bytes: number;
  sessions: Map<Waiting, number>;
}

/**
 * Bytes that wait in this process to be sent to clients that do not read or do not acknowledge: of each tenant, and all. Where there are
 * too many, the session with most of its tenant is ended; where the process has too many, it is one of the tenant with most.
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

  /** Sessions were ended because too much waited for all, and it is not much less yet: a new one would add to it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Counts what waits for a session now, and makes room if it is too much. */
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

  /** Sockets say nothing of what they send: all that is counted is counted again. */
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
    // Before it ends: what it leaves to others is counted with them.
    this.#set(tenantId, tenant, session, 0);
    session.onBacklog();
  }
}

/** @param entries at least one */
function largestOf<K, V>(entries: ReadonlyMap<K, V>, sizeOf: (value: V) => number): [K, V] {
  let largest: [K, V] | undefined;
  for (const entry of entries) if (!largest || sizeOf(entry[1]) > sizeOf(largest[1])) largest = entry;
  return largest!;
}
