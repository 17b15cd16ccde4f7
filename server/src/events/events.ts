import type { Database, Unlisten } from "../db/database.ts";
import { BEGINNING, pruneAlong } from "../db/prune.ts";
import { addMs, type Clock, HOUR } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { deleteEvents } from "./event-store.ts";
import { cursorAtBeginning, cursorNow, type EventPage, readEvents } from "./read-events.ts";
import { type EventHandler, type SubscribeOptions, type Subscription, subscribe, type Wakes } from "./subscribe.ts";

export { describeChange, type EventFamily, type EventKind } from "./describe-change.ts";
export type { RecordedChange } from "./event-store.ts";
export type { TenantEvent } from "./read-events.ts";
export { type EventHandler, isWanted, type Subscription } from "./subscribe.ts";

/** The time for which events are stored: an older cursor has expired. */
const RETENTION_MS = 48 * HOUR;
/** The NOTIFY channel of anomalies and tickets; its payload is the tenant. */
export const EVENTS_CHANNEL = "muster_events";

/** The events of a tenant, in any process: triggers record them, and subscribers follow them from a cursor. */
export interface Events {
  /** Returns the cursor after all readable events, from which to start following. */
  cursorNow(): Promise<string>;
  /** Returns the cursor before all stored events. */
  cursorAtBeginning(): Promise<string>;
  /**
   * @param viewer the user whose groups limit the visible events; `undefined`: all are visible
   * @throws {MusterError} invalid_request, cursor_expired
   */
  readEvents(tenantId: string, after: string, limit: number, viewer?: string): Promise<EventPage>;
  subscribe(tenantId: string, options: SubscribeOptions, handler: EventHandler): Promise<Subscription>;
  /** Deletes events older than 48 h; must be called every few minutes. */
  prune(stopped?: AbortSignal): Promise<void>;
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
    cursorAtBeginning: () => cursorAtBeginning(database.db),
    readEvents: (tenantId, after, limit, viewer) => readEvents(database.db, tenantId, after, limit, viewer),
    async subscribe(tenantId, options, handler) {
      await listen();
      const subscription = await subscribe(deps, wakes, tenantId, options, handler);
      open.add(subscription);
      subscription.ended.catch(() => undefined).finally(() => open.delete(subscription));
      return subscription;
    },
    async prune(stopped) {
      const before = addMs(clock.now(), -RETENTION_MS);
      await pruneAlong(BEGINNING, (from, limit) => deleteEvents(database.db, { from, before, limit }), { stopped });
    },
    async stop() {
      await Promise.all([...open].map((subscription) => subscription.stop()));
      await (await listening?.catch(() => undefined))?.();
    },
  };
}
