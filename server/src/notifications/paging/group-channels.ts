import { useCase } from "../../access/access.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import { type ChannelState, stateOf } from "../channels/channel-state.ts";
import { type GroupChannelRow, listGroupChannelRows } from "../channels/group-channel-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { REGISTRY, type TypeName } from "../integrations/registry.ts";
import { type Obstacle, obstacleOf } from "../obstacle.ts";
import { disabledWebhooks } from "../webhooks/webhook-store.ts";
import { readGroups } from "./paged-group-store.ts";

/** A channel of a group, and whether it is used. */
export interface GroupChannel {
  type: ChannelKind;
  target: string;
  state: ChannelState;
  /** When the last link was sent, and until when it is valid. */
  requestedAt: Date | null;
  expiresAt: Date | null;
  confirmedAt: Date | null;
  /** Since when every attempt to send there has failed, and the last error. */
  failingSince: Date | null;
  lastError: string | null;
  /** The name of an integration and its service; `null` for the other types. */
  name: string | null;
  service: string | null;
  /** The reason nothing can be sent there now. */
  obstacle: Obstacle | null;
}

/** Lists the channels of a group in order. @throws MusterError not_found */
export const listGroupChannels = useCase(
  { role: "admin" },
  async (deps: NotificationsDeps, caller, groupId: string): Promise<GroupChannel[]> => {
    const { tenantId } = caller;
    const { db } = deps.database;
    const now = deps.clock.now();
    const [group] = isUuid(groupId) ? await readGroups(db, tenantId, [groupId]) : [];
    if (!group) throw notFound("group");
    const [rows, disabled] = await Promise.all([
      listGroupChannelRows(db, tenantId, groupId),
      disabledWebhooks(db, [tenantId]),
    ]);
    return rows.map((row) => ({
      ...toChannel(row, disabled.has(`${tenantId} ${row.target}`) && row.type === "webhook", now),
      obstacle: obstacleOf(deps, row.type),
    }));
  },
);

function toChannel(row: GroupChannelRow, disabled: boolean, now: Date): Omit<GroupChannel, "obstacle"> {
  const { type, target, requested_at: requestedAt, expires_at: expiresAt, confirmed_at: confirmedAt } = row;
  const { failing_since: failingSince, last_error: lastError, name } = row;
  const service = row.service === null ? null : REGISTRY[row.service as TypeName].label;
  const state = stateOf(row, disabled, now);
  return { type, target, state, requestedAt, expiresAt, confirmedAt, failingSince, lastError, name, service };
}
