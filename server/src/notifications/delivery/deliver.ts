import { SECOND } from "../../lib/clock.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { untilAborted, withTimeout } from "../../lib/timeouts.ts";
import { chance, type NotificationsDeps } from "../deps.ts";
import { leaseOf, takeMails } from "../mail/claim-mails.ts";
import { MAIL_CONNECTIONS, type Mailer } from "../mail/send-mail.ts";
import { sendWebhook } from "../webhooks/send-webhook.ts";
import { disabledWebhooks, disableWebhook } from "../webhooks/webhook-store.ts";
import { retryAt } from "./back-off.ts";
import { type Courier, createCourier } from "./courier.ts";
import { type ClaimedRow, claimWebhooks, noteFailed, noteSent } from "./delivery-store.ts";
import { failed, type Outcome, type Send } from "./outcome.ts";

const WEBHOOKS_AT_ONCE = 16;
const WEBHOOKS_OF_ONE = 4;
/** Shorter than the lease: whoever takes it over must not find us still sending. */
const LONGEST_MAIL_MS = 45 * SECOND;

/** Sends e-mails that are due. Without a mail server they wait, and that is said once. */
export function mailCourier(
  deps: NotificationsDeps,
  mailer: Mailer | undefined,
  stop: AbortSignal,
  cut: AbortSignal,
): Courier {
  let said = false;
  const take = async (room: number): Promise<ClaimedRow[]> => {
    if (stop.aborted) return [];
    if (mailer) return await takeMails(deps, room);
    if (!said) deps.logger.warn("MUSTER_SMTP_URL is not set: e-mails are kept for a day and not sent");
    said = true;
    return [];
  };
  return createCourier(MAIL_CONNECTIONS, take, (row) =>
    attempt(deps, "email", row, (each) => inTime(mailer!.send(each), cut)),
  );
}

/** Sends webhooks that are due. */
export function webhookCourier(deps: NotificationsDeps, stop: AbortSignal, cut: AbortSignal): Courier {
  const { database } = deps;
  const take = async (room: number): Promise<ClaimedRow[]> => {
    if (stop.aborted) return [];
    const wanted = { limit: room, each: WEBHOOKS_OF_ONE, lease: leaseOf(deps) };
    return await database.db.transaction().execute((tx) => claimWebhooks(tx, wanted));
  };
  const send: Send = async (row) => {
    const disabled = await disabledWebhooks(database.db, [row.tenant_id]);
    if (disabled.has(`${row.tenant_id} ${row.target}`)) return failed("the webhook is disabled", { final: true });
    return await sendWebhook(deps, row, cut);
  };
  return createCourier(WEBHOOKS_AT_ONCE, take, (row) => attempt(deps, "webhook", row, send));
}

/** Sends, and notes what became of it. What cannot be noted is tried again when the lease ends, under the same id. */
async function attempt(
  deps: NotificationsDeps,
  channel: "email" | "webhook",
  row: ClaimedRow,
  send: Send,
): Promise<void> {
  const { database, clock, logger } = deps;
  const count = (result: string, times = 1) => deps.metrics.notifications.inc({ channel, result }, times);
  try {
    await faultPoint("deliver.send");
    const outcome = await send(row);
    await faultPoint("deliver.sent");
    const now = clock.now();
    if (outcome.sent) {
      count("sent");
      return await noteSent(database.db, row, now);
    }
    const again = outcome.final ? undefined : retryAt(row.created_at, row.attempts, now, chance(deps.ids));
    const { error, maybeSent } = outcome;
    count(again ? "retried" : "failed");
    logger.warn({ delivery: row.id, attempt: row.attempts, err: error, again }, "a notification did not arrive");
    await noteFailed(database.db, row, { error, again, maybeSent }, now);
    if (outcome.gone) count("failed", await disableWebhook(database.db, row.tenant_id, row.target, now));
  } catch (error) {
    logger.warn({ delivery: row.id, err: (error as Error).message }, "what became of a notification was not noted");
  }
}

/** Without an answer in time it is unknown whether the mail server took the message. */
async function inTime(sending: Promise<Outcome>, cut: AbortSignal): Promise<Outcome> {
  const unanswered = (reason: string) => failed(reason, { maybeSent: true });
  const answered = withTimeout(sending, LONGEST_MAIL_MS, () => unanswered("the mail server took too long"));
  return await untilAborted(answered, cut).catch((error: Error) => {
    if (!cut.aborted) throw error;
    return unanswered("the service stopped before the mail server answered");
  });
}
