import type { Database, Unlisten } from "../db/database.ts";
import { addMs, type Clock, HOUR } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { forgetEvents } from "./event-store.ts";
import { cursorNow, type EventPage, readEvents } from "./read-events.ts";
import { type EventHandler, type SubscribeOptions, type Subscription, subscribe, type Wakes } from "./subscribe.ts";

export type { EventPage, TenantEvent } from "./read-events.ts";
export { type EventHandler, isWanted, type SubscribeOptions, type Subscription } from "./subscribe.ts";

/** How long events are kept, so how long a reader may be away. */
export const KEPT_MS = 48 * HOUR;
/** The channel of anomalies and tickets; its payload is the tenant. */
export const EVENTS_CHANNEL = "muster_events";

const PRUNED_AT_ONCE = 5_000;

/** What happens in a tenant, whichever process it happens in: written by the database, read and followed here. */
export interface Events {
  /** The cursor behind everything that can be read now: where to begin to follow. */
  cursorNow(): Promise<string>;
  /** @throws MusterError invalid_request, cursor_expired */
  readEvents(tenantId: string, after: string, limit: number): Promise<EventPage>;
  subscribe(tenantId: string, options: SubscribeOptions, handler: EventHandler): Promise<Subscription>;
  /** Forgets what is older than {@link KEPT_MS}; to be called every few minutes. */
  prune(): Promise<void>;
  /** Ends every subscription. */
  stop(): Promise<void>;
}

export function createEvents(deps: { database: Database; clock: Clock; logger: Logger }): Events {
  const { database, clock } = deps;
  const wakes: Wakes = new Map();
  const open = new Set<Subscription>();
  let listening: Promise<Unlisten> | undefined;

  function listen(): Promise<Unlisten> {
    listening ??= database
      .listen(EVENTS_CHANNEL, (tenantId) => {
        for (const wake of wakes.values()) wake(tenantId);
      })
      .catch((error) => {
        listening = undefined;
        throw error;
      });
    return listening;
  }

  return {
    cursorNow: () => cursorNow(database.db),
    readEvents: (tenantId, after, limit) => readEvents(database.db, tenantId, after, limit),
    async subscribe(tenantId, options, handler) {
      await listen();
      const subscription = await subscribe(deps, wakes, tenantId, options, handler);
      open.add(subscription);
      subscription.ended.catch(() => undefined).finally(() => open.delete(subscription));
      return subscription;
    },
    async prune() {
      while ((await forgetEvents(database.db, addMs(clock.now(), -KEPT_MS), PRUNED_AT_ONCE)) === PRUNED_AT_ONCE);
    },
    async stop() {
      await Promise.all([...open].map((subscription) => subscription.stop()));
      await (await listening?.catch(() => undefined))?.();
    },
  };
}
