import type { Tx } from "../../db/database.ts";

/**
 * Invalidates every unopened confirmation link for channels; new ones must be requested. @returns the number of links
 */
export async function endConfirmationLinks(tx: Tx, now: Date): Promise<number> {
  const ended = await tx
    .updateTable("channel_addresses")
    .set({ token_sha256: null, token_expires_at: now })
    .where("token_sha256", "is not", null)
    .where("confirmed_at", "is", null)
    .returning("key")
    .execute();
  return ended.length;
}
