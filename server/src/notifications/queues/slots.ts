import type { Place } from "./place.ts";

export interface SlotLimits {
  total: number;
  perTenant: number;
  perQueue: number;
}

/** The concurrent attempts of this process. */
export interface Slots {
  take(place: Place): void;
  release(place: Place): void;
  /** Returns the tenants whose slots are all in use. */
  fullTenants(): string[];
  /**
   * Returns the queues that currently get no further slot. A queue in `failing` gets one slot. All of them together get
   * half of a tenant's and half of the process's slots, so that unresponsive targets leave room for others.
   */
  fullQueues(failing: readonly Place[]): string[];
}

export function createSlots({ total, perTenant, perQueue }: SlotLimits): Slots {
  const inUse = new Map<string, Place & { count: number }>();

  function byTenant(isCounted: (queue: string) => boolean): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { tenantId, queue, count } of inUse.values())
      if (isCounted(queue)) counts.set(tenantId, (counts.get(tenantId) ?? 0) + count);
    return counts;
  }

  return {
    take({ tenantId, queue }) {
      inUse.set(queue, { tenantId, queue, count: (inUse.get(queue)?.count ?? 0) + 1 });
    },
    release({ queue }) {
      const used = inUse.get(queue)!;
      used.count--;
      if (used.count === 0) inUse.delete(queue);
    },
    fullTenants: () => [...byTenant(() => true)].filter(([, count]) => count >= perTenant).map(([tenant]) => tenant),
    fullQueues(failing) {
      const suspects = new Set(failing.map(({ queue }) => queue));
      const ofSuspects = byTenant((queue) => suspects.has(queue));
      const used = [...ofSuspects.values()].reduce((sum, count) => sum + count, 0);
      const noRoom = failing.filter(
        ({ tenantId, queue }) =>
          inUse.has(queue) || used >= half(total) || (ofSuspects.get(tenantId) ?? 0) >= half(perTenant),
      );
      const full = [...inUse.values()].filter(({ count }) => count >= perQueue);
      return [...noRoom, ...full].map(({ queue }) => queue);
    },
  };
}

function half(slots: number): number {
  return Math.max(Math.floor(slots / 2), 1);
}
