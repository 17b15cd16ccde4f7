import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { type Counts, RequestCounts } from "../lib/limits/request-counts.ts";
import { CHANNEL, notifyAdmitted } from "./request-exchange-store.ts";

/** The number of keys per notification, whose payload must have fewer than 8,000 bytes. */
const KEYS_OF_NOTIFICATION = 90;
const MAX_KEY_LENGTH = 64;
/** The limit per second; keys with the fewest requests are left out. */
const MAX_KEYS = 5 * KEYS_OF_NOTIFICATION;

export interface RequestExchangeDeps {
  database: Pick<Database, "kind" | "db" | "listen">;
  ids: Ids;
  clock: Clock;
}

/** Shares the counts of admitted requests per address among all processes on one database, on any machine. */
export interface RequestExchange {
  /** The counts of this process. */
  readonly counts: RequestCounts;
  /** Starts receiving the counts of the others. */
  start(): Promise<void>;
  /** Notifies the others of requests admitted since the last call. Must be called every second. */
  send(): Promise<void>;
}

export function createRequestExchange({ database, ids, clock }: RequestExchangeDeps): RequestExchange {
  const requestCounts = new RequestCounts();
  // Only one process can use the embedded database.
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

/** Splits the counts into notifications that fit. */
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
