import type { KeyObject } from "node:crypto";
import type { Database } from "../db/database.ts";
import type { Groups } from "../groups/groups.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
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
  metrics: Pick<
    Metrics,
    | "beforeScrape"
    | "confirmations"
    | "notifications"
    | "notificationsOldest"
    | "notificationsWaiting"
    | "pages"
    | "webhookTargetsPaused"
  >;
  limits: Limits;
  groups: Pick<Groups, "addWebhook" | "removeWebhook">;
  /** Keys that the secrets of webhooks and of confirmation links are derived from: the present one, then former ones that receivers may still use. */
  webhookKeys: () => readonly KeyObject[];
  settings: NotificationSettings;
  /** The address that links in messages begin with. */
  baseUrl: () => string;
  /** Resolves the host of a webhook. */
  resolve: Resolve;
  /** This process's id in `broker_nodes`, once it has one: when that row is deleted, other processes may claim what this one had leased. */
  nodeId: () => string | undefined;
}

export interface NotificationSettings {
  /** Without a mail server e-mails wait, and fail after a day. */
  smtp: { url: Secret<string>; from: string } | undefined;
  /** Whether webhooks may lead to private networks. */
  allowPrivateWebhooks: boolean;
}

/** A random number from 0 to 1. */
export function randomFraction(ids: Ids): number {
  return ids.bytes(4).readUInt32BE() / 2 ** 32;
}
