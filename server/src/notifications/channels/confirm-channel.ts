import type { ChannelKind } from "../../groups/groups.ts";
import type { NotificationsDeps } from "../deps.ts";
import { confirmByHash, findByHash } from "./channel-address-store.ts";
import { isToken, tokenHash } from "./confirmation-token.ts";

/** The information for a person who opens a link. */
export interface ConfirmationLink {
  state: "open" | "confirmed" | "expired";
  type: ChannelKind;
  address: string;
  tenantName: string;
}

/**
 * Finds the purpose of a link without changing anything; `undefined` if it was never sent or has been replaced by a
 * later one.
 */
export async function findConfirmation(
  { database, clock }: NotificationsDeps,
  token: string,
): Promise<ConfirmationLink | undefined> {
  const found = isToken(token) ? await findByHash(database.db, tokenHash(token)) : undefined;
  if (!found) return undefined;
  const { type, address, tenant_name, token_expires_at, confirmed_at } = found;
  const expired = token_expires_at <= clock.now();
  const state = confirmed_at !== null ? "confirmed" : expired ? "expired" : "open";
  return { state, type, address, tenantName: tenant_name };
}

/** Confirms the address of a link. A link confirms once; opening it again shows that it is confirmed. */
export async function confirmChannel(
  deps: NotificationsDeps,
  token: string,
  by: "link" | "answer" = "link",
): Promise<ConfirmationLink | undefined> {
  const { database, clock, metrics, logger } = deps;
  if (isToken(token) && (await confirmByHash(database.db, tokenHash(token), by, clock.now()))) {
    metrics.confirmations.inc({ result: "confirmed" });
    logger.info({ by }, "a channel was confirmed");
  }
  return await findConfirmation(deps, token);
}
