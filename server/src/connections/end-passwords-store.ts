import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { enqueueDrops } from "./drops/enqueue-drop-store.ts";

/** Replaces the hash of an ended password; no password has this hash. */
const NO_HASH = "";

/**
 * Ends the passwords of all MQTT clients, including disabled ones, and drops the sessions of enabled ones. The
 * registrations stay: a new password admits a client again.
 *
 * @returns how many enabled clients had a password, and their drops for `awaitDrops`
 */
export async function endClientPasswords(tx: Tx, now: Date): Promise<{ clients: number; drops: string[] }> {
  const { rows } = await sql<{ id: string; client_id: string; disabled_at: Date | null }>`
    UPDATE mqtt_clients SET password_hash = ${NO_HASH} WHERE password_hash <> ${NO_HASH}
    RETURNING id, client_id, disabled_at`.execute(tx);
  const enabled = rows.filter(({ disabled_at }) => disabled_at === null);
  const drops: string[] = [];
  for (const { id, client_id: clientId } of enabled) {
    const drop = {
      mqttClientId: id,
      clientId,
      reason: "password_replaced",
      staysValid: true,
      toEveryNode: true,
    } as const;
    drops.push(...(await enqueueDrops(tx, drop, now)));
  }
  return { clients: enabled.length, drops };
}

/** The MQTT clients of a later state of a database. */
export type ClientEndings = object[];

export async function readClientEndings(db: Db): Promise<ClientEndings> {
  const { rows } = await sql<object>`SELECT id, disabled_at, password_hash FROM mqtt_clients`.execute(db);
  return rows;
}

/**
 * Gives the MQTT clients of a restored database the passwords of the later state. Clients disabled or deleted since the
 * backup are disabled and release their client ids. Fires `mqtt_clients_disabled`.
 *
 * @returns how many clients this changed
 */
export async function carryClientEndings(tx: Tx, clients: ClientEndings, now: Date): Promise<number> {
  const { rows } = await sql<{ client_id: string; ended: boolean }>`
    WITH later AS (
      SELECT c.id, c.disabled_at AS former, coalesce(c.disabled_at, p.disabled_at, CASE WHEN p.id IS NULL THEN ${now}::timestamptz END) AS ended_at,
             coalesce(p.password_hash, ${NO_HASH}) AS hash
        FROM mqtt_clients c
        LEFT JOIN json_to_recordset(${JSON.stringify(clients)}::json) AS p (id uuid, disabled_at timestamptz, password_hash text) ON p.id = c.id
    )
    UPDATE mqtt_clients c SET disabled_at = l.ended_at, password_hash = l.hash FROM later l
     WHERE l.id = c.id AND (c.disabled_at, c.password_hash) IS DISTINCT FROM (l.ended_at, l.hash)
    RETURNING c.client_id, l.former IS NULL AND l.ended_at IS NOT NULL AS ended`.execute(tx);
  const released = rows.filter(({ ended }) => ended).map(({ client_id }) => client_id);
  await sql`
    DELETE FROM client_ids WHERE holder = 'mqtt_client' AND client_id = ANY (${released}::text[])`.execute(tx);
  return rows.length;
}
