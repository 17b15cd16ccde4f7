import { SECOND } from "../../lib/clock.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { untilAborted, withTimeout } from "../../lib/timeouts.ts";
import { type NotificationsDeps, randomFraction } from "../deps.ts";
import { claimMails } from "../mail/claim-mails.ts";
import { MAIL_CONNECTIONS, type Mailer } from "../mail/send-mail.ts";
import { sendWebhook } from "../webhooks/send-webhook.ts";
import { disabledWebhooks, disableWebhook } from "../webhooks/webhook-store.ts";
import { retryAt } from "./back-off.ts";
import { type ClaimedRow, claimWebhooks, recordFailed, recordSent } from "./claim-store.ts";
import type { Channel } from "./delivery-store.ts";
import { leaseOf } from "./lease.ts";
import { failed, type Outcome, type Send } from "./outcome.ts";
import { createWorkerPool, type WorkerPool } from "./worker-pool.ts";

const WEBHOOK_SLOTS = 16;
const WEBHOOKS_PER_TARGET = 4;
/** Shorter than the lease: a process that leases the message next must not find this one still sending. */
const MAIL_TIMEOUT_MS = 45 * SECOND;

/** When to stop claiming messages, and when to abandon those that are being sent. */
export interface StopSignals {
  stop: AbortSignal;
  abandon: AbortSignal;
}

/** Sends e-mails that are due. Without a mail server they wait, which is logged once. */
export function mailWorkers(deps: NotificationsDeps, mailer: Mailer | undefined, signals: StopSignals): WorkerPool {
  let warned = false;
  const claim = async (room: number): Promise<ClaimedRow[]> => {
    if (signals.stop.aborted) return [];
    if (mailer) return await claimMails(deps, room);
    if (!warned) deps.logger.warn("MUSTER_SMTP_URL is not set: e-mails are not sent, and fail after a day");
    warned = true;
    return [];
  };
  return createWorkerPool(MAIL_CONNECTIONS, claim, (row) =>
    attempt(deps, "email", row, (each) => unlessAbandoned(mailer!.send(each), signals.abandon)),
  );
}

/** Sends webhooks that are due. */
export function webhookWorkers(deps: NotificationsDeps, { stop, abandon }: StopSignals): WorkerPool {
  const { database } = deps;
  const claim = async (room: number): Promise<ClaimedRow[]> => {
    if (stop.aborted) return [];
    const wanted = { limit: room, perTarget: WEBHOOKS_PER_TARGET, lease: leaseOf(deps) };
    return await database.db.transaction().execute((tx) => claimWebhooks(tx, wanted));
  };
  const send: Send = async (row) => {
    const disabled = await disabledWebhooks(database.db, [row.tenant_id]);
    if (disabled.has(`${row.tenant_id} ${row.target}`)) return failed("the webhook is disabled", { final: true });
    return await sendWebhook(deps, row, abandon);
  };
  return createWorkerPool(WEBHOOK_SLOTS, claim, (row) => attempt(deps, "webhook", row, send));
}

/** Sends, and records the result. A result that cannot be recorded is followed by another attempt when the lease ends, under the same id. */
async function attempt(deps: NotificationsDeps, channel: Channel, row: ClaimedRow, send: Send): Promise<void> {
  const { database, clock, logger } = deps;
  const count = (result: string, times = 1) => deps.metrics.notifications.inc({ channel, result }, times);
  try {
    await faultPoint("deliver.send");
    const outcome = await send(row);
    await faultPoint("deliver.sent");
    const now = clock.now();
    if (outcome.sent) {
      count("sent");
      return await recordSent(database.db, row, now);
    }
    const again = outcome.final ? undefined : retryAt(row.created_at, row.attempts, now, randomFraction(deps.ids));
    const { error, maybeSent } = outcome;
    count(again ? "retried" : "failed");
    logger.warn({ delivery: row.id, attempt: row.attempts, err: error, again }, "a notification was not delivered");
    await recordFailed(database.db, row, { error, retryAt: again, maybeSent }, now);
    if (outcome.gone) count("failed", await disableWebhook(database.db, row.tenant_id, row.target, now));
  } catch (error) {
    logger.warn(
      { delivery: row.id, err: (error as Error).message },
      "the result of a delivery attempt was not recorded",
    );
  }
}

/** Without an answer in time it is unknown whether the mail server accepted the message. */
async function unlessAbandoned(sending: Promise<Outcome>, abandon: AbortSignal): Promise<Outcome> {
  const unanswered = (reason: string) => failed(reason, { maybeSent: true });
  const answered = withTimeout(sending, MAIL_TIMEOUT_MS, () => unanswered("the mail server took too long"));
  return await untilAborted(answered, abandon).catch((error: Error) => {
    if (!abandon.aborted) throw error;
    return unanswered("the service stopped before the mail server answered");
  });
}
