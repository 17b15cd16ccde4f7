import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Secret } from "../lib/secret.ts";
import type { Resolve } from "./webhooks/resolve-target.ts";

/** What the use cases of this feature work with. */
export interface NotificationsDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<Metrics, "notifications" | "notificationsOldest" | "notificationsWaiting" | "pages">;
  /** The key that webhooks' secrets are derived from. */
  webhookKey: Secret<Buffer>;
  settings: NotificationSettings;
  /** Where links lead. */
  baseUrl: () => string;
  /** Looks a webhook's host up. */
  resolve: Resolve;
  /** This process as one of those that serve, once it is one: when it is gone, others send what it was sending. */
  holder: () => string | undefined;
}

export interface NotificationSettings {
  /** Without a mail server e-mails wait, for a day. */
  smtp: { url: Secret<string>; from: string } | undefined;
  /** Whether webhooks may lead to private networks. */
  allowPrivateWebhooks: boolean;
}

/** A number from 0 to 1, from the source of all chance. */
export function chance(ids: Ids): number {
  return ids.bytes(4).readUInt32BE() / 2 ** 32;
}
