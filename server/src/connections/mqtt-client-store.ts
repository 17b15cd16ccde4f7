import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
import { readStatement, statement } from "../db/statement.ts";
import type { PageRequest } from "../lib/page.ts";
import { externalIdTaken } from "../lib/request-errors.ts";
import { isPart, nextPart, type Walked } from "../lists/walk.ts";
import { clientIdInUse, usernameTaken } from "./errors.ts";

export interface MqttClientRow {
  id: string;
  tenant_id: string;
  client_id: string;
  username: string;
  password_hash: string;
  publish_topics: string[];
  subscribe_filters: string[];
  /** Whether its owner is no longer an active admin. */
  suspended: boolean;
}

/** A client to be registered. `owner_id` is the admin who answers for it; null if registered from the shell. */
export type NewMqttClientRow = Omit<MqttClientRow, "suspended"> & {
  created_at: Date;
  owner_id: string | null;
  external_id: string | null;
};

/** @throws {MusterError} username_taken, client_id_in_use */
export async function insertMqttClient(tx: Tx, row: NewMqttClientRow): Promise<void> {
  await asRefusals(row, () => tx.insertInto("mqtt_clients").values(row).execute());
}

/**
 * Runs a write that fails if another enabled client has the same names. @throws {MusterError} username_taken,
 * client_id_in_use
 */
async function asRefusals(
  { username, client_id, external_id }: Pick<NewMqttClientRow, "username" | "client_id" | "external_id">,
  write: () => Promise<unknown>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const violated = violatedUnique(error);
    if (violated === "mqtt_clients_username") throw usernameTaken(username);
    if (violated === "mqtt_clients_external_id") throw externalIdTaken(external_id);
    if (violated === "mqtt_clients_client_id") throw clientIdInUse(client_id);
    throw error;
  }
}

/** A client without its password's hash. */
export type StoredMqttClient = Omit<MqttClientRow, "tenant_id" | "password_hash" | "suspended"> & {
  external_id: string | null;
};

/** Returns a client in the form that the administrative audit records. */
export function auditedMqttClient(row: StoredMqttClient): object {
  const { id, username, publish_topics: publish, subscribe_filters: subscribe } = row;
  return { id, username, publish, subscribe };
}

const STORED = ["id", "client_id", "username", "publish_topics", "subscribe_filters", "external_id"] as const;

/**
 * Disables the enabled client of this client id and releases the client id. FOR UPDATE precedes the update, as in the
 * revocation of a certificate (revocation-store.ts): a session being opened is either recorded first or refused. Fires
 * `mqtt_clients_disabled`.
 *
 * @returns the client; `undefined` if there is none
 */
export async function disableMqttClient(
  tx: Tx,
  tenantId: string,
  clientId: string,
  now: Date,
): Promise<StoredMqttClient | undefined> {
  const { rows } = await sql<StoredMqttClient>`
    WITH locked AS (
      SELECT c.id FROM mqtt_clients c
       WHERE c.tenant_id = ${tenantId} AND c.client_id = ${clientId} AND c.disabled_at IS NULL FOR UPDATE
    )
    UPDATE mqtt_clients m SET disabled_at = ${now} FROM locked WHERE m.id = locked.id
    RETURNING ${sql.join(STORED.map((name) => sql.ref(`m.${name}`)))}`.execute(tx);
  const [row] = rows;
  if (row)
    await tx.deleteFrom("client_ids").where("client_id", "=", clientId).where("holder", "=", "mqtt_client").execute();
  return row;
}

/**
 * Returns the enabled client of this client id, or else the one disabled last; locks its row until the transaction
 * ends.
 */
export async function lockMqttClient(
  tx: Tx,
  tenantId: string,
  clientId: string,
): Promise<(StoredMqttClient & { disabled_at: Date | null; suspended: boolean }) | undefined> {
  return await tx
    .selectFrom("mqtt_clients")
    .select([...STORED, "disabled_at", "suspended"])
    .where("tenant_id", "=", tenantId)
    .where("client_id", "=", clientId)
    .orderBy("disabled_at", (order) => order.desc().nullsFirst())
    .orderBy("id", "desc")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

/** Enables a client whose row is locked, and sets its owner. @throws {MusterError} username_taken, client_id_in_use */
export async function enableRow(tx: Tx, client: StoredMqttClient, owner: string | null): Promise<void> {
  const values = { disabled_at: null, owner_id: owner, suspended: false };
  await asRefusals(client, () => tx.updateTable("mqtt_clients").set(values).where("id", "=", client.id).execute());
}

/**
 * Deletes every client of this client id, including disabled ones. Fires `mqtt_clients_deleted`.
 *
 * @returns the deleted clients
 */
export async function deleteMqttClients(tx: Tx, tenantId: string, clientId: string): Promise<StoredMqttClient[]> {
  return await tx
    .deleteFrom("mqtt_clients")
    .where("tenant_id", "=", tenantId)
    .where("client_id", "=", clientId)
    .returning(STORED)
    .execute();
}

export interface ListedMqttClient extends StoredMqttClient {
  created_at: Date;
  disabled_at: Date | null;
  suspended: boolean;
  owner_id: string | null;
  owner: string | null;
  connected: boolean;
}

/**
 * Returns one page of the tenant's clients, including disabled ones, newest first, and the total, which quotas limit.
 */
export async function listMqttClientRows(
  db: Db,
  tenantId: string,
  page: PageRequest,
): Promise<{ rows: ListedMqttClient[]; total: number }> {
  const from = sql`FROM mqtt_clients c LEFT JOIN shared_users u ON u.id = c.owner_id
    LEFT JOIN shared_service_accounts a ON a.id = c.owner_id WHERE c.tenant_id = ${tenantId}`;
  if (isPart(page)) return await nextPart(db, { columns: LISTED, from, keys: NEWEST_FIRST }, page);
  const { skip, limit } = page;
  const { rows } = await sql<ListedMqttClient>`
    SELECT ${LISTED} ${from}
    ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit} OFFSET ${skip}`.execute(db);
  const counted = await sql<{ total: string }>`
    SELECT count(*) AS total FROM mqtt_clients WHERE tenant_id = ${tenantId}`.execute(db);
  return { rows, total: Number(counted.rows[0]!.total) };
}

/** Returns the client of a client id: the enabled one, or else the one that was disabled last. */
export async function findMqttClientOfTenant(
  db: Db,
  tenantId: string,
  clientId: string,
): Promise<ListedMqttClient | undefined> {
  const { rows } = await sql<ListedMqttClient>`
    SELECT ${LISTED} FROM mqtt_clients c LEFT JOIN shared_users u ON u.id = c.owner_id
      LEFT JOIN shared_service_accounts a ON a.id = c.owner_id
     WHERE c.tenant_id = ${tenantId} AND c.client_id = ${clientId}
     ORDER BY c.disabled_at DESC NULLS FIRST LIMIT 1`.execute(db);
  return rows[0];
}

const LISTED = sql`c.id, c.client_id, c.username, c.publish_topics, c.subscribe_filters, c.external_id, c.created_at,
  c.disabled_at, c.suspended, c.owner_id, coalesce(u.email, a.name) AS owner,
  EXISTS (SELECT 1 FROM mqtt_sessions s WHERE s.mqtt_client_id = c.id AND s.client_id = c.client_id) AS connected`;

const NEWEST_FIRST: Walked["keys"] = [
  { by: sql`c.created_at`, type: "timestamptz", descending: true },
  { by: sql`c.id`, type: "uuid", descending: true },
];

/**
 * Replaces the password and owner of the enabled client of this client id. @returns the client; `undefined` if there is
 * none
 */
export async function replacePassword(
  tx: Tx,
  tenantId: string,
  clientId: string,
  { passwordHash, owner }: { passwordHash: string; owner: string | null },
): Promise<StoredMqttClient | undefined> {
  return await tx
    .updateTable("mqtt_clients")
    .set({ password_hash: passwordHash, owner_id: owner, suspended: false })
    .where("tenant_id", "=", tenantId)
    .where("client_id", "=", clientId)
    .where("disabled_at", "is", null)
    .returning(STORED)
    .executeTakeFirst();
}

export async function hasMqttClient(db: Db, tenantId: string, clientId: string): Promise<boolean> {
  const row = await db
    .selectFrom("mqtt_clients")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return row !== undefined;
}

const findEnabled = statement<{ clientId: string }, MqttClientRow & { tenant_slug: string }>(
  "find-mqtt-client",
  (p) => sql`
  SELECT c.id, c.tenant_id, c.client_id, c.username, c.password_hash, c.publish_topics, c.subscribe_filters, c.suspended,
         t.slug AS tenant_slug
    FROM mqtt_clients c JOIN shared_tenants t ON t.id = c.tenant_id
   WHERE c.client_id = ${p.clientId}::text AND c.disabled_at IS NULL`,
);

/** Returns the enabled client of a client id, with its tenant's slug. */
export async function findMqttClient(
  db: Db,
  clientId: string,
): Promise<(MqttClientRow & { tenant_slug: string }) | undefined> {
  const [row] = await readStatement(db, findEnabled, { clientId });
  return row;
}
