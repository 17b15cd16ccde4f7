import type { Database } from "../db/database.ts";
import { isMusterError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
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

/**
 * Follows the events of a tenant, those of other processes too: NOTIFY wakes it for anomalies and tickets, a look every
 * second finds the rest.
 */
export async function subscribe(
  { database, logger }: { database: Database; logger: Logger },
  wakes: Wakes,
  tenantId: string,
  { after, kinds }: SubscribeOptions,
  handler: EventHandler,
): Promise<Subscription> {
  let cursor = after ?? (await cursorNow(database.db));
  let stopped = false;
  let woken = false;
  let wake: () => void = () => undefined;
  const me = Symbol(tenantId);
  const wanted = ({ kind }: TenantEvent) =>
    kinds === undefined || kinds.some((each) => (each.endsWith(".") ? kind.startsWith(each) : kind === each));

  wakes.set(me, (tenant) => {
    if (tenant !== "" && tenant !== tenantId) return;
    woken = true;
    wake();
  });

  /** Until something may have happened: not at all when it did meanwhile. */
  function rest(ms: number): Promise<void> {
    if (woken || stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The next page; `undefined` when the database could not be asked. */
  async function look(): Promise<EventPage | undefined> {
    woken = false;
    try {
      return await readEvents(database.db, tenantId, cursor, PAGE);
    } catch (error) {
      if (isMusterError(error)) throw error;
      logger.warn({ err: (error as Error).message }, "could not read events; trying again");
      return undefined;
    }
  }

  async function follow(): Promise<void> {
    while (!stopped) {
      const page = await look();
      const events = page?.events.filter(wanted) ?? [];
      if (stopped) return;
      if (events.length > 0) await handler(events);
      if (page) cursor = page.cursor;
      if (page?.more !== "ready") await rest(page?.more === "held" ? HELD_MS : POLL_MS);
    }
  }

  const ended = follow().finally(() => wakes.delete(me));
  ended.catch(() => undefined);
  return {
    get cursor() {
      return cursor;
    },
    ended,
    async stop() {
      stopped = true;
      wake();
      await ended.catch(() => undefined);
    },
  };
}
