import { endPasswords, revokeAllKeys } from "../access/access.ts";
import { endClientPasswords } from "../connections/connections.ts";
import type { Tx } from "../db/database.ts";
import { revokeAllClaims } from "../enrollment/enrollment.ts";
import { deleteAllFactors, deleteAllRecoveryCodes, endSessionsAndLinks } from "../identity/identity.ts";
import { endConfirmationLinks } from "../notifications/notifications.ts";

/** How many of each door were ended (`doors.ts`). */
export interface EndedAccess {
  sessions: number;
  /** For set-up, invitation and reset, and to confirm channels. */
  links: number;
  passwords: number;
  factors: number;
  apiKeys: number;
  /** Passwords of enabled MQTT clients. */
  mqttClients: number;
  claims: number;
}

/** What every restore ends: a session, a link or a recovery code may have been used or ended since the backup. */
export async function endShortLived(tx: Tx, now: Date): Promise<Pick<EndedAccess, "sessions" | "links">> {
  const { sessions, links } = await endSessionsAndLinks(tx);
  return { sessions, links: links + (await endConfirmationLinks(tx, now)) };
}

/**
 * Ends everything that people and programs hold, in one transaction. Links first, then passwords: a user who uses a link or signs in at this
 * moment is refused, or signed out with the others.
 *
 * @returns what was ended, and the drops of MQTT sessions
 */
export async function endAccess(tx: Tx, now: Date): Promise<{ ended: EndedAccess; drops: string[] }> {
  const actor = "system";
  const before = await endShortLived(tx, now);
  const passwords = await endPasswords(tx);
  await deleteAllRecoveryCodes(tx);
  const factors = await deleteAllFactors(tx);
  // A session that began meanwhile ended with its user's password; this also ends those of users who had none.
  const { sessions, links } = await endSessionsAndLinks(tx);
  const apiKeys = await revokeAllKeys(tx, actor, now);
  const { clients: mqttClients, drops } = await endClientPasswords(tx, now);
  const claims = await revokeAllClaims(tx, actor, now);
  const ended = { passwords, factors, apiKeys, mqttClients, claims };
  return { ended: { sessions: before.sessions + sessions, links: before.links + links, ...ended }, drops };
}
