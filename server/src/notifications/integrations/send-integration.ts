import { inTransaction } from "../../db/transaction.ts";
import { SECOND } from "../../lib/clock.ts";
import type { ClaimedRow } from "../delivery/claim-store.ts";
import { failed, type Outcome } from "../delivery/outcome.ts";
import type { NotificationsDeps } from "../deps.ts";
import { openPushKey } from "../push/push-key-store.ts";
import { callTarget, type HttpCall } from "../webhooks/call-target.ts";
import { type Answer, type ChannelType, usualVerdict } from "./channel-type.ts";
import { integrationOwner, lockNamed } from "./integration-store.ts";
import { type Notice, noticeOf } from "./notice.ts";
import { pushCall } from "./push-call.ts";
import { REGISTRY } from "./registry.ts";

/** Sends a message to the chat or paging service of an integration, in one attempt. */
export async function sendIntegration(
  deps: NotificationsDeps,
  row: ClaimedRow,
  abandon: AbortSignal,
): Promise<Outcome> {
  const integration = await openIntegration(deps, row);
  if (!integration) return failed("the group or user has no such integration any more", { final: true });
  const { type, call } = integration(noticeOf(deps, row.id, row.payload));
  const called = await callTarget(deps, { ...call, headers: { "user-agent": "Muster/1", ...call.headers } }, abandon);
  return "sent" in called ? called : outcomeOf(type, called, deps.clock.now());
}

/** Builds the request of a notice, whose answer the type classifies. */
type Render = (notice: Notice) => { type: Pick<ChannelType, "label" | "verdict">; call: HttpCall };

const WEB_PUSH = { label: "The push service" };

async function openIntegration(
  deps: NotificationsDeps,
  { tenant_id: tenantId, target: id, group_id: groupId, user_id: userId }: ClaimedRow,
): Promise<Render | undefined> {
  const { database, secrets } = deps;
  return await inTransaction(database.db, async (tx) => {
    const found = await lockNamed(tx, { tenantId, id }, { groupId, userId });
    if (!found) return undefined;
    const secret = JSON.parse((await secrets.open(tx, found.sealed, integrationOwner(tenantId, id))).toString());
    if (found.type === "web_push") {
      const key = await openPushKey(tx, deps);
      return (notice) => ({ type: WEB_PUSH, call: pushCall(deps, notice, secret, key) });
    }
    const type = REGISTRY[found.type];
    return (notice) => ({ type, call: type.request(notice, { ...found.settings, ...secret }) });
  });
}

/** The error names the status alone: the answer of a service may repeat a secret. */
function outcomeOf(type: ReturnType<Render>["type"], answer: Answer, now: Date): Outcome {
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
