import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { type Counts, RequestCounts } from "../lib/limits/request-counts.ts";
import { CHANNEL, notifyAdmitted } from "./request-exchange-store.ts";

/** A notification has fewer than 8,000 bytes. */
const KEYS_OF_NOTIFICATION = 90;
const MAX_KEY_LENGTH = 64;
/** Of each second; those with fewest requests are left out. */
const MAX_KEYS = 5 * KEYS_OF_NOTIFICATION;

export interface RequestExchangeDeps {
  database: Pick<Database, "kind" | "db" | "listen">;
  ids: Ids;
  clock: Clock;
}

/** Has what one process admits of an address count in all that serve on one database, on any machine. */
export interface RequestExchange {
  /** Of this process. */
  readonly counts: RequestCounts;
  /** Hears the others from now on. */
  start(): Promise<void>;
  /** Notifies the others of what was admitted since the last call. Call it every second. */
  send(): Promise<void>;
}

export function createRequestExchange({ database, ids, clock }: RequestExchangeDeps): RequestExchange {
  const requestCounts = new RequestCounts();
  // The embedded database belongs to one process.
  if (database.kind === "embedded") return { counts: requestCounts, start: async () => {}, send: async () => {} };
  const own = ids.uuid(clock.now());
  return {
    counts: requestCounts,
    async start() {
      await database.listen(CHANNEL, (payload) => {
        // Empty: notifications may have been missed.
        if (payload === "") return;
        const [from, counts] = JSON.parse(payload) as [string, Counts];
        if (from !== own) requestCounts.add(counts);
      });
    },
    async send() {
      for (const counts of inNotifications(requestCounts.take() ?? []))
        await notifyAdmitted(database.db, JSON.stringify([own, counts]));
    },
  };
}

/** What fits into a notification each. */
export function inNotifications(counts: Counts): Counts[] {
  const most = counts
    .flatMap(([name, keys]) => keys.map(([key, requests]) => ({ name, key, requests })))
    .filter(({ key }) => key.length <= MAX_KEY_LENGTH)
    .sort((a, b) => b.requests - a.requests)
    .slice(0, MAX_KEYS);
  const notifications: Counts[] = [];
  for (let at = 0; at < most.length; at += KEYS_OF_NOTIFICATION) {
    const byName = Map.groupBy(most.slice(at, at + KEYS_OF_NOTIFICATION), ({ name }) => name);
    notifications.push(
      [...byName].map(([name, keys]) => [name, keys.map(({ key, requests }): [string, number] => [key, requests])]),
    );
  }
  return notifications;
}
