import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
import { runStatement, statement } from "../db/statement.ts";
import { clientIdInUse, usernameTaken } from "./errors.ts";

export interface MqttClientRow {
  id: string;
  tenant_id: string;
  client_id: string;
  username: string;
  password_hash: string;
  publish_topics: string[];
  subscribe_filters: string[];
}

/** @throws MusterError username_taken, client_id_in_use */
export async function insertMqttClient(tx: Tx, row: MqttClientRow & { created_at: Date }): Promise<void> {
  try {
    await tx.insertInto("mqtt_clients").values(row).execute();
  } catch (error) {
    const violated = violatedUnique(error);
    if (violated === "mqtt_clients_username") throw usernameTaken(row.username);
    if (violated === "mqtt_clients_client_id") throw clientIdInUse(row.client_id);
    throw error;
  }
}

/** @returns the released client id; undefined when there is no such client, or it is disabled already */
export async function disableMqttClient(tx: Tx, tenantId: string, id: string, now: Date): Promise<string | undefined> {
  const row = await tx
    .updateTable("mqtt_clients")
    .set({ disabled_at: now })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("disabled_at", "is", null)
    .returning("client_id")
    .executeTakeFirst();
  if (!row) return undefined;
  await tx
    .deleteFrom("client_ids")
    .where("client_id", "=", row.client_id)
    .where("holder", "=", "mqtt_client")
    .execute();
  return row.client_id;
}

/** Disables the MQTT clients of every tenant and releases every client id, those of devices too. */
export async function disableAllMqttClients(tx: Tx, now: Date): Promise<void> {
  await tx.updateTable("mqtt_clients").set({ disabled_at: now }).where("disabled_at", "is", null).execute();
  await tx.deleteFrom("client_ids").execute();
}

export async function hasMqttClient(db: Db, tenantId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("mqtt_clients")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

const findEnabled = statement<{ clientId: string }, MqttClientRow & { tenant_slug: string }>(
  "find-mqtt-client",
  (p) => sql`
  SELECT c.id, c.tenant_id, c.client_id, c.username, c.password_hash, c.publish_topics, c.subscribe_filters,
         t.slug AS tenant_slug
    FROM mqtt_clients c JOIN shared_tenants t ON t.id = c.tenant_id
   WHERE c.client_id = ${p.clientId}::text AND c.disabled_at IS NULL`,
);

/** The enabled client of a client id, with its tenant's slug. */
export async function findMqttClient(
  db: Db,
  clientId: string,
): Promise<(MqttClientRow & { tenant_slug: string }) | undefined> {
  const [row] = await runStatement(db, findEnabled, { clientId });
  return row;
}
