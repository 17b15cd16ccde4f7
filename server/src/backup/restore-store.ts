import { type Database, openDatabase, type Tx } from "../db/database.ts";
import type { Logger } from "../lib/logger.ts";

/** Opens a backup in a folder of its own and brings its schema up to date. @throws Error when it is no backup */
export async function openStaged(folder: string, content: Blob, logger: Logger, file: string): Promise<Database> {
  try {
    return await openDatabase({ dataDir: folder, snapshot: content, logger });
  } catch (error) {
    throw new Error(`${file} is not a backup that this version can restore`, { cause: error });
  }
}

/** Sessions and nodes of the process that wrote the backup are long gone. */
export async function forgetProcesses(tx: Tx): Promise<void> {
  await tx.deleteFrom("broker_nodes").execute();
}

/**
 * Ends every certificate, API key, claim and MQTT client that is alive in these books.
 *
 * @returns the certificates ended
 */
export async function endEverything(tx: Tx, now: Date) {
  const ended = { revoked_at: now, revoked_by: "system" };
  await tx
    .updateTable("api_keys")
    .set({ ...ended, revocation_reason: "requested" })
    .where("revoked_at", "is", null)
    .execute();
  await tx
    .updateTable("claims")
    .set({ ...ended, status: "revoked" })
    .where("status", "=", "pending")
    .execute();
  await tx.updateTable("mqtt_clients").set({ disabled_at: now }).where("disabled_at", "is", null).execute();
  await tx.deleteFrom("client_ids").execute();
  return await tx
    .updateTable("certificates")
    .set({ ...ended, revocation_reason: "requested" })
    .where("revoked_at", "is", null)
    .returning(["id", "tenant_id", "device_id", "serial_number", "fingerprint_sha256"])
    .execute();
}
