import { lookup } from "node:dns/promises";
import { boundedToGroupsOf, type Caller, requireScope } from "../access/access.ts";
import type { Unlisten } from "../db/database.ts";
import { EVENTS_CHANNEL } from "../events/events.ts";
import { addMs, DAY, SECOND } from "../lib/clock.ts";
import { coalesceRuns } from "../lib/coalesce-runs.ts";
import { isUuid } from "../lib/ids.ts";
import { withTimeout } from "../lib/timeouts.ts";
import { GIVE_UP_MS } from "./delivery/back-off.ts";
import { mailCourier, webhookCourier } from "./delivery/deliver.ts";
import { type DeliveryRow, forgetDeliveries, giveUp, listDeliveryRows } from "./delivery/delivery-store.ts";
import { measureBacklog } from "./delivery/measure.ts";
import type { NotificationsDeps } from "./deps.ts";
import { handleInbox } from "./handle-inbox.ts";
import { createMailer } from "./mail/send-mail.ts";
import { noticeEnding } from "./notices/certificate-notices.ts";
import { type OnCall, onCallOfDevice, onCallOfGroup } from "./paging/on-call.ts";
import { forgetPages, isAnythingDue } from "./paging/page-store.ts";
import { pagePeople } from "./paging/send-pages.ts";
import { unreached } from "./paging/unreached-groups.ts";
import { showWebhook, type WebhookInfo } from "./webhooks/show-webhook.ts";

export type { NotificationSettings } from "./deps.ts";
export type { OnCall, OnCallDuty } from "./paging/on-call.ts";
export type { WebhookInfo } from "./webhooks/show-webhook.ts";

/** How long the log of what was sent is kept. */
const KEPT_MS = 30 * DAY;
/** How long a stop waits for what is being sent. */
const PATIENCE_MS = 5 * SECOND;

export type DeliveryRecord = DeliveryRow;

/** Tells people: pages along the escalation of groups, notices about certificates, by e-mail and webhook. */
export interface Notifications {
  onCallOfGroup(caller: Caller, groupId: string): Promise<OnCall>;
  onCallOfDevice(caller: Caller, deviceId: string): Promise<OnCall>;
  showWebhook(
    caller: Caller,
    which: { groupId: string; target: string; enable?: boolean | undefined },
  ): Promise<WebhookInfo>;
  /** What was sent, newest first, of the tenant or of one anomaly, with every attempt. */
  listDeliveries(caller: Caller, query: { anomalyId?: string; limit: number }): Promise<DeliveryRecord[]>;
  /**
   * Begins to follow events, so that a page leaves at once.
   *
   * @param nodeId this process as one of those that serve
   */
  start(nodeId: string): Promise<void>;
  /** Does what is due if anything is, and leaves sending under way; to be called every second. */
  tick(): Promise<void>;
  /** Does everything that is due; resolves when all of it has been sent or has failed. */
  runDue(): Promise<void>;
  /** Tells admins of certificates that nobody renews; to be called at least daily. */
  noticeCertificates(): Promise<void>;
  /** Gives up what is too old and forgets what is long done; to be called every few minutes. */
  prune(): Promise<void>;
  /** Every group that escalates to nobody in the next seven days, named for whoever looks after the service. */
  unreached(): AsyncIterable<string>;
  /** Sets the gauges of what waits. */
  measure(): Promise<void>;
  /** Takes nothing more and finishes what is being sent. */
  stop(): Promise<void>;
}

export function createNotifications(given: Omit<NotificationsDeps, "resolve" | "holder">): Notifications {
  let holder: string | undefined;
  const deps: NotificationsDeps = { ...given, resolve: addressesOf, holder: () => holder };
  const { database, clock, logger } = deps;
  const stopping = new AbortController();
  const cut = new AbortController();
  const mailer = createMailer(deps);
  const mails = mailCourier(deps, mailer, stopping.signal, cut.signal);
  const webhooks = webhookCourier(deps, stopping.signal, cut.signal);
  const quietly = (work: Promise<unknown>) =>
    work.catch((error: Error) => logger.warn({ err: error.message }, "notifications failed; they will be tried again"));

  const { run: page } = coalesceRuns(async () => {
    if (stopping.signal.aborted) return;
    await handleInbox(deps);
    await pagePeople(deps);
  });
  const { run: wake } = coalesceRuns(async () => {
    await page();
    quietly(mails.run());
    quietly(webhooks.run());
  });
  let unlisten: Unlisten | undefined;

  return {
    onCallOfGroup: (caller, groupId) => onCallOfGroup(deps, caller, groupId),
    onCallOfDevice: (caller, deviceId) => onCallOfDevice(deps, caller, deviceId),
    showWebhook: (caller, which) => showWebhook(deps, caller, which),
    async listDeliveries(caller, { anomalyId, limit }) {
      requireScope(caller, "groups:read");
      if (anomalyId !== undefined && !isUuid(anomalyId)) return [];
      const memberUserId = boundedToGroupsOf(caller);
      const which = { memberUserId, limit, ...(anomalyId === undefined ? {} : { anomalyId }) };
      return await listDeliveryRows(database.db, caller.tenantId, which);
    },
    async start(nodeId) {
      holder = nodeId;
      unlisten = await database.listen(EVENTS_CHANNEL, () => void quietly(wake()));
    },
    async tick() {
      if (!stopping.signal.aborted && (await isAnythingDue(database.db, clock.now()))) await wake();
    },
    async runDue() {
      await page();
      await Promise.all([mails.run(), webhooks.run()]);
    },
    noticeCertificates: () => noticeEnding(deps),
    async prune() {
      const now = clock.now();
      const old = await giveUp(database.db, addMs(now, -GIVE_UP_MS), now, "nobody could be told within a day");
      for (const channel of old) deps.metrics.notifications.inc({ channel, result: "failed" });
      if (old.length > 0) logger.warn({ given_up: old.length }, "notifications were given up after a day");
      await forgetDeliveries(database.db, addMs(now, -KEPT_MS));
      await forgetPages(database.db, addMs(now, -KEPT_MS));
    },
    unreached: () => unreached(deps),
    measure: () => measureBacklog(deps),
    async stop() {
      stopping.abort();
      await unlisten?.();
      const finished = quietly(page()).then(() => Promise.all([quietly(mails.run()), quietly(webhooks.run())]));
      await withTimeout(finished, PATIENCE_MS, () => {
        cut.abort(new Error("the service stops"));
        return finished;
      });
      mailer?.close();
    },
  };
}

async function addressesOf(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}
