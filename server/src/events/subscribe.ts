import type { Database } from "../db/database.ts";
import { isMusterError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { startPollingLoop } from "../lib/polling-loop.ts";
import { cursorNow, type EventPage, readEvents, type TenantEvent } from "./read-events.ts";

const POLL_MS = 1_000;
/** How soon to look again for what an open transaction holds back. */
const HELD_MS = 25;
const PAGE = 200;

export interface SubscribeOptions {
  /** Begins after this cursor; from now on when left out. */
  after?: string | undefined;
  /** Only these kinds; a kind that ends in `.` is a whole family (`anomaly.`). */
  kinds?: readonly string[] | undefined;
  /** Only what this user sees by way of their groups. */
  boundedTo?: string | undefined;
}

export interface Subscription {
  /** Where it has got to, also over events of other kinds: what to resume from. */
  readonly cursor: string;
  /** Settles when the subscription has ended: rejects with what the handler threw, or with `cursor_expired`. */
  readonly ended: Promise<void>;
  /** Ends it; resolves when the handler is not running any more. */
  stop(): Promise<void>;
}

/** Is given events in order, at least one at a time; the next come when it has resolved. */
export type EventHandler = (events: TenantEvent[]) => Promise<void> | void;

/** What wakes subscriptions of a tenant; '' wakes all. */
export type Wakes = Map<symbol, (tenantId: string) => void>;

/** Whether a kind is among `kinds` ({@link SubscribeOptions}). */
export function isWanted(kinds: readonly string[] | undefined, kind: string): boolean {
  return kinds === undefined || kinds.some((each) => (each.endsWith(".") ? kind.startsWith(each) : kind === each));
}

/**
 * Follows the events of a tenant, those of other processes too: NOTIFY wakes it for anomalies and tickets, a look every
 * second finds the rest.
 */
export async function subscribe(
  { database, logger }: { database: Database; logger: Logger },
  wakes: Wakes,
  tenantId: string,
  { after, kinds, boundedTo }: SubscribeOptions,
  handler: EventHandler,
): Promise<Subscription> {
  let cursor = after ?? (await cursorNow(database.db));

  /** The next page; `undefined` when the database could not be asked. */
  async function look(): Promise<EventPage | undefined> {
    try {
      return await readEvents(database.db, tenantId, cursor, PAGE, boundedTo);
    } catch (error) {
      if (isMusterError(error)) throw error;
      logger.warn({ err: (error as Error).message }, "could not read events; trying again");
      return undefined;
    }
  }

  const following = startPollingLoop(async (loop) => {
    const page = await look();
    if (page === undefined || loop.stopped) return POLL_MS;
    const events = page.events.filter(({ kind }) => isWanted(kinds, kind));
    if (events.length > 0) await handler(events);
    cursor = page.cursor;
    return { ready: 0, held: HELD_MS, none: POLL_MS }[page.more];
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
