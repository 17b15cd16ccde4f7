import type { KeyObject } from "node:crypto";
import type { Quotas } from "../access/access.ts";
import type { Database, Tx } from "../db/database.ts";
import type { Groups } from "../groups/groups.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { Resolve } from "../lib/outgoing/resolve-target.ts";
import type { Secret } from "../lib/secret.ts";

/** The dependencies of this feature's use cases. */
export interface NotificationsDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<
    Metrics,
    | "auditStreamDeliveries"
    | "auditStreamEntries"
    | "auditStreamOldest"
    | "auditStreamWaiting"
    | "beforeScrape"
    | "confirmations"
    | "notifications"
    | "notificationsOldest"
    | "notificationsWaiting"
    | "pages"
    | "webhookTargetsPaused"
  >;
  limits: Limits;
  quotas: Quotas;
  groups: Pick<Groups, "addWebhook" | "listShifts" | "removeWebhook">;
  /**
   * The keys from which the secrets of webhooks and confirmation links are derived: the current one, then former ones
   * that receivers may still use.
   */
  webhookKeys: () => readonly KeyObject[];
  /** Seals the secrets of integrations under the master key. */
  secrets: SealedSecrets;
  settings: NotificationSettings;
  /** The base address of links in messages. */
  baseUrl: () => string;
  /** Resolves the host of a webhook. */
  resolve: Resolve;
  /**
   * This process's id in `broker_nodes`, once it has one. When that row is deleted, other processes may claim what this
   * one had leased.
   */
  nodeId: () => string | undefined;
}

/** Encrypts secrets under the master key, as the feature `authorities` does. */
export interface SealedSecrets {
  /** Call it before `tx` locks a row with a sealed secret. `owner` names the record that the secret is bound to. */
  seal(tx: Tx, secret: Buffer, owner: string): Promise<Buffer>;
  /** Reverses `seal`; `tx` has locked the row with the sealed secret. */
  open(tx: Tx, sealed: Buffer, owner: string): Promise<Buffer>;
}

export interface NotificationSettings {
  /** The mail server. Without one, e-mails wait and fail after a day. */
  smtp: { url: Secret<string>; from: string } | undefined;
  /** Whether webhooks may target private networks. */
  allowPrivateWebhooks: boolean;
}

/** Returns a random number from 0 to 1. */
export function randomFraction(ids: Ids): number {
  return ids.bytes(4).readUInt32BE() / 2 ** 32;
}
