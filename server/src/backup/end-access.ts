import { endPasswords, revokeAllKeys } from "../access/access.ts";
import { endClientPasswords } from "../connections/connections.ts";
import type { Tx } from "../db/database.ts";
import { revokeAllClaims } from "../enrollment/enrollment.ts";
import { deleteAllFactors, deleteAllRecoveryCodes, endSessionsAndLinks } from "../identity/identity.ts";
import { endConfirmationLinks, endDutyFeeds } from "../notifications/notifications.ts";
import { deleteAllTokens } from "../scim/scim.ts";

/** The numbers of ended credentials of each kind (`credentials.ts`). */
export interface EndedAccess {
  sessions: number;
  /** Links for set-up, invitation and reset, to confirm channels, and to calendars. */
  links: number;
  passwords: number;
  factors: number;
  passkeys: number;
  apiKeys: number;
  /** Passwords of enabled MQTT clients. */
  mqttClients: number;
  claims: number;
}

/** Ends sessions, links and SCIM tokens: since the backup, they may have been used, ended or replaced. */
export async function endShortLived(tx: Tx, now: Date): Promise<Pick<EndedAccess, "sessions" | "links">> {
  const { sessions, links } = await endSessionsAndLinks(tx);
  await deleteAllTokens(tx);
  return { sessions, links: links + (await endConfirmationLinks(tx, now)) + (await endDutyFeeds(tx)) };
}

/**
 * Ends the access of all people and programs in one transaction. Links end before passwords, so a user who follows a
 * link or signs in at this moment is refused, or signed out with the others.
 *
 * @returns the ended credentials, and the drops of MQTT sessions
 */
export async function endAccess(tx: Tx, now: Date): Promise<{ ended: EndedAccess; drops: string[] }> {
  const actor = "system";
  const before = await endShortLived(tx, now);
  const passwords = await endPasswords(tx);
  await deleteAllRecoveryCodes(tx);
  const { apps: factors, passkeys } = await deleteAllFactors(tx);
  // Sessions started in the meantime ended with their users' passwords; this also ends those of users without a
  // password.
  const { sessions, links } = await endSessionsAndLinks(tx);
  const apiKeys = await revokeAllKeys(tx, actor, now);
  const { clients: mqttClients, drops } = await endClientPasswords(tx, now);
  const claims = await revokeAllClaims(tx, actor, now);
  const ended = { passwords, factors, passkeys, apiKeys, mqttClients, claims };
  return { ended: { sessions: before.sessions + sessions, links: before.links + links, ...ended }, drops };
}
