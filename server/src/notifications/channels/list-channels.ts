import { adminUseCase, type PreparedChange, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import { requireLinkRoom } from "../cap/full-mailboxes.ts";
import type { NotificationsDeps } from "../deps.ts";
import { type ListedAddress, listAddresses, requestLink } from "./channel-address-store.ts";

export type ChannelRecord = ListedAddress;

/** The maximum number of addresses in one answer: as many as a tenant may have. */
const MOST = 1_000;

/** Lists the addresses of the tenant's channels, unconfirmed ones first. */
export const listChannels = useCase(
  { scope: "groups:read", role: "admin" },
  async ({ database }: NotificationsDeps, caller): Promise<ChannelRecord[]> =>
    await listAddresses(database.db, caller.tenantId, MOST),
);

/**
 * Requests another link for an unconfirmed address; it is sent once the caps on links allow it. A confirmed address is
 * left unchanged.
 *
 * @throws MusterError not_found if the group has no such channel; rate_limited if the address can get no further link
 *   today
 */
export const requestConfirmation = adminUseCase(
  { scope: "groups:write", role: "admin" },
  "channel.request",
  async (
    deps: NotificationsDeps,
    caller,
    channel: { groupId: string; target: string },
  ): Promise<PreparedChange<{ confirmed: boolean }>> => ({
    change: async (tx) => {
      const now = deps.clock.now();
      const found = isUuid(channel.groupId) ? await requestLink(tx, caller.tenantId, channel, now) : undefined;
      if (!found) throw notFound("channel");
      const { type, confirmed } = found;
      if (type === "email" && !confirmed) await requireLinkRoom(deps, tx, channel.target, now);
      const result = { confirmed };
      return { target: channel.groupId, after: { channel: channel.target, ...result }, result };
    },
  }),
);
