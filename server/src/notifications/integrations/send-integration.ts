import { inTransaction } from "../../db/transaction.ts";
import { SECOND } from "../../lib/clock.ts";
import type { ClaimedRow } from "../delivery/claim-store.ts";
import { failed, type Outcome } from "../delivery/outcome.ts";
import type { NotificationsDeps } from "../deps.ts";
import { callTarget } from "../webhooks/call-target.ts";
import { type Answer, type ChannelType, type Settings, usualVerdict } from "./channel-type.ts";
import { integrationOwner, lockNamed } from "./integration-store.ts";
import { noticeOf } from "./notice.ts";
import { REGISTRY } from "./registry.ts";

/** Sends a message to the chat or paging service of an integration, in one attempt. */
export async function sendIntegration(
  deps: NotificationsDeps,
  row: ClaimedRow,
  abandon: AbortSignal,
): Promise<Outcome> {
  const integration = await openSettings(deps, row);
  if (!integration) return failed("the group has no such integration any more", { final: true });
  const { type, settings } = integration;
  const call = type.request(noticeOf(deps, row.id, row.payload), settings);
  const called = await callTarget(deps, { ...call, headers: { "user-agent": "Muster/1", ...call.headers } }, abandon);
  return "sent" in called ? called : outcomeOf(type, called, deps.clock.now());
}

async function openSettings(
  { database, secrets }: NotificationsDeps,
  { tenant_id: tenantId, target: id, group_id: groupId }: ClaimedRow,
): Promise<{ type: ChannelType; settings: Settings } | undefined> {
  return await inTransaction(database.db, async (tx) => {
    const found = await lockNamed(tx, { tenantId, id }, groupId);
    if (!found) return undefined;
    const secret = JSON.parse((await secrets.open(tx, found.sealed, integrationOwner(tenantId, id))).toString());
    return { type: REGISTRY[found.type], settings: { ...found.settings, ...secret } };
  });
}

/** The error names the status alone: the answer of a service may repeat a secret. */
function outcomeOf(type: ChannelType, answer: Answer, now: Date): Outcome {
  const verdict = type.verdict?.(answer) ?? usualVerdict(answer);
  if (verdict === "sent") return { sent: true };
  const retryAfterMs = retryAfter(answer, now);
  const gone = verdict === "gone";
  return failed(`${type.label} answered ${answer.status}`, {
    final: gone || verdict === "final",
    ...(gone && { gone }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Reads `Retry-After`, seconds or a date (RFC 9110 10.2.3). */
function retryAfter({ headers }: Answer, now: Date): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  const ms = /^\d{1,9}(\.\d+)?$/.test(value) ? Number(value) * SECOND : Date.parse(value) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.ceil(ms) : undefined;
}
