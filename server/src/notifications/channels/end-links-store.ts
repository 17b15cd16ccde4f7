import type { Tx } from "../../db/database.ts";

/** Ends every link that was sent to confirm a channel and has not been opened: another one must be asked for. @returns how many */
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
