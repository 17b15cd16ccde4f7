import type { GroupChannelRow } from "./group-channel-store.ts";

/**
 * The state of a channel. `confirmed`: it is used. `requested`: its receiver has a link to confirm it. `expired`: that
 * link is no longer valid. `waiting`: a link will be sent. `disabled`: it answered 410, so nothing is sent there.
 */
export type ChannelState = "confirmed" | "requested" | "expired" | "waiting" | "disabled";

/** The known state of a channel's address. */
export type AddressStateRow = Pick<GroupChannelRow, "request_at" | "requested_at" | "expires_at" | "confirmed_at">;

/** @param disabled whether it answered 410 */
export function stateOf(row: Omit<AddressStateRow, "requested_at">, disabled: boolean, now: Date): ChannelState {
  if (disabled) return "disabled";
  if (row.confirmed_at !== null) return "confirmed";
  if (row.request_at !== null || row.expires_at === null) return "waiting";
  return row.expires_at > now ? "requested" : "expired";
}
