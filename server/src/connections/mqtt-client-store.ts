import type { Db, Tx } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
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

/** @returns the client id that is free now; undefined when there is no such client, or it is disabled already */
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

/** The enabled client of a client id, with its tenant's slug. */
export async function findMqttClient(
  db: Db,
  clientId: string,
): Promise<(MqttClientRow & { tenant_slug: string }) | undefined> {
  return await db
    .selectFrom("mqtt_clients as c")
    .innerJoin("tenants as t", "t.id", "c.tenant_id")
    .select(["c.id", "c.tenant_id", "c.client_id", "c.username", "c.password_hash"])
    .select(["c.publish_topics", "c.subscribe_filters", "t.slug as tenant_slug"])
    .where("c.client_id", "=", clientId)
    .where("c.disabled_at", "is", null)
    .executeTakeFirst();
}
