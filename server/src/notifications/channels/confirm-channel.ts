import type { NotificationsDeps } from "../deps.ts";
import { confirmByHash, findByHash } from "./channel-address-store.ts";
import { isToken, tokenHash } from "./confirmation-token.ts";

/** What a person who opens a link may know. */
export interface ConfirmationLink {
  state: "open" | "confirmed" | "expired";
  type: "email" | "webhook";
  address: string;
  tenantName: string;
}

/** What a link is for; `undefined` for one that was never sent, or that a later one has replaced. Changes nothing. */
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

/** Confirms the address that a link is for. A link confirms once; opening it again shows that it is confirmed. */
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
