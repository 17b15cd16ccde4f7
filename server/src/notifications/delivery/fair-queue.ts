import type { ChannelKind } from "../../groups/groups.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { CircuitBreaker } from "../queues/circuit-breaker.ts";
import type { Place } from "../queues/place.ts";
import type { Slots } from "../queues/slots.ts";
import { dueQueues, FIRST } from "./queue-store.ts";

/**
 * The maximum number of tenants whose last queue is remembered. Beyond it, the tenant served longest ago starts again
 * from its first queue.
 */
const MOST_TENANTS = 1_000;

/** Chooses the next messages to send. */
export interface FairQueue {
  /**
   * Returns at most `room` queues with a due message, taking a slot for each. Tenants take turns, and so do each
   * tenant's queues.
   */
  take(room: number): Promise<Place[]>;
  /** Returns the slot of a place from {@link take}. */
  release(place: Place): void;
}

/** Creates a round robin over tenants, then over each tenant's queues, with critical pages first. */
export function createFairQueue(
  { database, clock }: Pick<NotificationsDeps, "database" | "clock">,
  channel: ChannelKind,
  slots: Slots,
  breaker: Pick<CircuitBreaker, "failing">,
): FairQueue {
  const lastQueues = new Map<string, string>();
  let after = FIRST;

  async function queuesAfter(tenantId: string, limit: number, without: readonly string[]): Promise<Place[]> {
    const failing = breaker.failing();
    const paused = failing.filter((each) => each.paused).map(({ queue }) => queue);
    return await dueQueues(database.db, channel, {
      now: clock.now(),
      after: tenantId,
      lastQueues: Object.fromEntries(lastQueues),
      fullTenants: [...slots.fullTenants(), ...without],
      fullQueues: [...paused, ...slots.fullQueues(failing)],
      limit,
    });
  }

  /**
   * Takes a slot for each place that still has one. Earlier places in the same turn may have used up the slots of
   * failing queues.
   */
  function takeSlots(places: readonly Place[]): Place[] {
    return places.filter((place) => {
      if (slots.fullQueues(breaker.failing()).includes(place.queue)) return false;
      slots.take(place);
      lastQueues.delete(place.tenantId);
      lastQueues.set(place.tenantId, place.queue);
      if (lastQueues.size > MOST_TENANTS) lastQueues.delete(lastQueues.keys().next().value!);
      after = place.tenantId;
      return true;
    });
  }

  return {
    async take(room) {
      const start = after;
      const places = await queuesAfter(start, room, []);
      if (places.length < room && start !== FIRST) {
        const served = places.map(({ tenantId }) => tenantId);
        places.push(...(await queuesAfter(FIRST, room - places.length, served)));
      }
      return takeSlots(places);
    },
    release: (place) => slots.release(place),
  };
}
