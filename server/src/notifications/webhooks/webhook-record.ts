import { type ChannelState, stateOf } from "../channels/channel-state.ts";
import { webhookId } from "./webhook-id.ts";
import type { WebhookCheck, WebhookRow } from "./webhook-list-store.ts";

/** A webhook of a group, without its secret. */
export interface WebhookRecord {
  /** `<group id>-<the first 32 hex digits of the SHA-256 of the address>`. */
  id: string;
  groupId: string;
  url: string;
  state: ChannelState;
  /** When its receiver was last asked to confirm it, and until when that is possible. */
  requestedAt: Date | null;
  expiresAt: Date | null;
  confirmedAt: Date | null;
  /** When it answered 410. */
  disabledAt: Date | null;
  /** Until when messages are also signed with its former secret. */
  formerSecretUntil: Date | null;
  /** The newest confirmation request or test of the webhook since it was added. */
  lastCheck: WebhookCheck | null;
  createdAt: Date;
}

export function toWebhook(row: WebhookRow, now: Date): WebhookRecord {
  const { check_type: type, check_at: at, check_state: state, check_error: error } = row;
  return {
    id: webhookId(row.group_id, row.key),
    groupId: row.group_id,
    url: row.target,
    state: stateOf(row, row.disabled_at !== null, now),
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    confirmedAt: row.confirmed_at,
    disabledAt: row.disabled_at,
    formerSecretUntil: row.former_until && row.former_until > now ? row.former_until : null,
    lastCheck: type && at && state ? { type, at, state, error: state === "sent" ? null : error } : null,
    createdAt: row.created_at,
  };
}
