import type { Database } from "../db/database.ts";
import { isMusterError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { startPollingLoop } from "../lib/polling-loop.ts";
import { cursorNow, type EventPage, readEvents, type TenantEvent } from "./read-events.ts";

const POLL_MS = 1_000;
/** The delay before re-reading events that an open transaction holds up. */
const DELAYED_POLL_MS = 25;
const PAGE = 200;

export interface SubscribeOptions {
  /** The cursor after which to start; if omitted, with events from now on. */
  after?: string | undefined;
  /** Only these kinds; a kind that ends in `.` is a whole family (`anomaly.`). */
  kinds?: readonly string[] | undefined;
  /** Only events visible to this user through their groups. */
  viewer?: string | undefined;
}

export interface Subscription {
  /** The position after all events read, including other kinds; resume from it. */
  readonly cursor: string;
  /** Settles when the subscription has ended: rejects with the handler's error, or with `cursor_expired`. */
  readonly ended: Promise<void>;
  /** Ends the subscription; resolves when the handler no longer runs. */
  stop(): Promise<void>;
}

/** Receives events in order, at least one per call; the next call waits until this one has resolved. */
export type EventHandler<Event = TenantEvent> = (events: Event[]) => Promise<void> | void;

/** The functions that wake the subscriptions of a tenant; '' wakes all. */
export type Wakes = Map<symbol, (tenantId: string) => void>;

/** Whether a kind is among `kinds` ({@link SubscribeOptions}). */
export function isWanted(kinds: readonly string[] | undefined, kind: string): boolean {
  return kinds === undefined || kinds.some((each) => (each.endsWith(".") ? kind.startsWith(each) : kind === each));
}

/**
 * Follows the events of a tenant, including those of other processes. NOTIFY wakes the subscription for anomalies and
 * tickets; a poll every second finds the rest.
 */
export async function subscribe(
  { database, logger }: { database: Database; logger: Logger },
  wakes: Wakes,
  tenantId: string,
  { after, kinds, viewer }: SubscribeOptions,
  handler: EventHandler,
): Promise<Subscription> {
  let cursor = after ?? (await cursorNow(database.db));

  /** Returns the next page; `undefined` if the database did not answer. */
  async function poll(): Promise<EventPage | undefined> {
    try {
      return await readEvents(database.db, tenantId, cursor, PAGE, viewer);
    } catch (error) {
      if (isMusterError(error)) throw error;
      logger.warn({ err: (error as Error).message }, "could not read events; retrying");
      return undefined;
    }
  }

  const following = startPollingLoop(async (loop) => {
    const page = await poll();
    if (page === undefined || loop.stopped) return POLL_MS;
    const events = page.events.filter(({ kind }) => isWanted(kinds, kind));
    if (events.length > 0) await handler(events);
    cursor = page.cursor;
    return { ready: 0, delayed: DELAYED_POLL_MS, none: POLL_MS }[page.more];
  });

  const me = Symbol(tenantId);
  wakes.set(me, (tenant) => {
    if (tenant === "" || tenant === tenantId) following.wake();
  });
  following.ended.catch(() => undefined).finally(() => wakes.delete(me));
  return {
    get cursor() {
      return cursor;
    },
    ended: following.ended,
    stop: () => following.stop(),
  };
}
