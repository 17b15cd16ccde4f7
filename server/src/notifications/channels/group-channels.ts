import { useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import { disabledWebhooks } from "../webhooks/webhook-store.ts";
import { type GroupChannelRow, listGroupChannelRows } from "./group-channel-store.ts";

/**
 * The state of a channel. `confirmed`: it is used. `requested`: its receiver has a link to confirm it. `expired`: that
 * link is no longer valid. `waiting`: a link will be sent. `disabled`: it answered 410, so nothing is sent there.
 */
export type ChannelState = "confirmed" | "requested" | "expired" | "waiting" | "disabled";

/** The known state of a channel's address. */
export type AddressStateRow = Omit<GroupChannelRow, "type" | "target">;

/** A channel of a group, and whether it is used. */
export interface GroupChannel {
  type: "email" | "webhook";
  target: string;
  state: ChannelState;
  /** When the last link was sent, and until when it is valid. */
  requestedAt: Date | null;
  expiresAt: Date | null;
  confirmedAt: Date | null;
}

/** Lists the channels of a group in order. @throws MusterError not_found */
export const listGroupChannels = useCase(
  { role: "admin" },
  async ({ database: { db }, clock }: NotificationsDeps, caller, groupId: string): Promise<GroupChannel[]> => {
    const { tenantId } = caller;
    const [group] = isUuid(groupId) ? await readGroups(db, tenantId, [groupId]) : [];
    if (!group) throw notFound("group");
    const [rows, disabled] = await Promise.all([
      listGroupChannelRows(db, tenantId, groupId),
      disabledWebhooks(db, [tenantId]),
    ]);
    const now = clock.now();
    return rows.map((row) => toChannel(row, disabled.has(`${tenantId} ${row.target}`) && row.type === "webhook", now));
  },
);

function toChannel(row: GroupChannelRow, disabled: boolean, now: Date): GroupChannel {
  const { type, target, requested_at: requestedAt, expires_at: expiresAt, confirmed_at: confirmedAt } = row;
  return { type, target, state: stateOf(row, disabled, now), requestedAt, expiresAt, confirmedAt };
}

/** @param disabled whether it answered 410 */
export function stateOf(row: Omit<AddressStateRow, "requested_at">, disabled: boolean, now: Date): ChannelState {
  if (disabled) return "disabled";
  if (row.confirmed_at !== null) return "confirmed";
  if (row.request_at !== null || row.expires_at === null) return "waiting";
  return row.expires_at > now ? "requested" : "expired";
}
