import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { isPermitted } from "../retained/retained-store.ts";

/** The will of a connection, published when its delay is over or when its process has crashed. */
export interface StoredWill {
  sessionId: string;
  /** The device's uid, or the id of the MQTT client. */
  ownerId: string;
  tenantId: string;
  tenantSlug: string;
  clientId: string;
  isDevice: boolean;
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  retain: boolean;
  /** The MQTT 5 properties that are forwarded, encoded. */
  properties: Buffer;
  /** 0 if the process that has the connection publishes it at the connection's end. */
  delaySeconds: number;
}

export interface DueWill extends StoredWill {
  dueAt: Date;
  /** The end of the lease under which this process publishes it. */
  leasedUntil: Date;
  /** Whether its client may still publish to the topic. */
  isPermitted: boolean;
}

export async function insertWills(db: Db, wills: readonly StoredWill[]): Promise<void> {
  const rows = wills.map(
    (
      will,
    ) => sql`(${will.sessionId}::uuid, ${will.ownerId}::uuid, ${will.tenantId}::uuid, ${will.tenantSlug}, ${will.clientId},
      ${will.isDevice}::boolean, ${will.topic}, ${will.payload}::bytea, ${will.qos}::smallint, ${will.retain}::boolean,
      ${will.properties}::bytea, ${will.delaySeconds}::integer)`,
  );
  await sql`
    INSERT INTO wills (session_id, owner_id, tenant_id, tenant_slug, client_id, is_device, topic, payload, qos,
                               retain, properties, delay_seconds)
    VALUES ${sql.join(rows)}`.execute(db);
}

/**
 * Deletes the delayed wills of a client's earlier connections, which are void once the client has resumed its session
 * [MQTT-3.1.3-9].
 */
export async function deleteWillsOf(tx: Tx, ownerId: string): Promise<void> {
  await sql`DELETE FROM wills WHERE owner_id = ${ownerId} AND delay_seconds > 0`.execute(tx);
}

/** Deletes the wills of connections that have ended. @returns those that no other process publishes */
export async function takeWills(db: Db, sessionIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ sessionId: string }>`
    DELETE FROM wills WHERE session_id = ANY (${[...sessionIds]}::uuid[]) AND due_at IS NULL
    RETURNING session_id AS "sessionId"`.execute(db);
  return new Set(rows.map(({ sessionId }) => sessionId));
}

/** SQL: the will has no delay and belongs to another session. */
const isEarlier = (ownerId: string, sessionId: string) =>
  sql`owner_id = ${ownerId} AND session_id <> ${sessionId} AND delay_seconds = 0`;

/** Makes the wills due that the processes of a client's earlier connections have not published. */
export async function endEarlier(db: Db, ownerId: string, sessionId: string, now: Date): Promise<void> {
  await sql`
    UPDATE wills SET due_at = ${now} WHERE ${isEarlier(ownerId, sessionId)} AND due_at IS NULL`.execute(db);
}

/** Returns whether an undelayed will of an earlier connection has yet to be published. */
export async function hasEarlier(db: Db, ownerId: string, sessionId: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM wills WHERE ${isEarlier(ownerId, sessionId)} LIMIT 1`.execute(db);
  return rows.length > 0;
}

/** Makes an owner's wills due immediately, because the session has ended. */
export async function endDelay(db: Db, ownerId: string, now: Date): Promise<void> {
  await sql`
    UPDATE wills SET due_at = ${now}
     WHERE owner_id = ${ownerId} AND (due_at IS NULL OR due_at > ${now})`.execute(db);
}

/** Starts the delay of the will of a connection that has ended. */
export async function beginDelay(tx: Tx, sessionId: string, now: Date, mostSeconds: number): Promise<void> {
  await sql`
    UPDATE wills
       SET due_at = ${now}::timestamptz + least(delay_seconds, ${mostSeconds}::integer) * interval '1 second'
     WHERE session_id = ${sessionId} AND due_at IS NULL`.execute(tx);
}

/** Starts the delays of connections whose process crashed. A session is open before its will is stored. */
export async function beginLostDelays(db: Db, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE wills SET due_at = ${now}::timestamptz + delay_seconds * interval '1 second'
     WHERE session_id = ANY (ARRAY(
       SELECT w.session_id FROM wills w WHERE w.due_at IS NULL
          AND NOT EXISTS (SELECT FROM mqtt_sessions m WHERE m.client_id = w.client_id AND m.session_id = w.session_id)
        LIMIT ${limit}))`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export async function deleteWill(db: Db, sessionId: string): Promise<void> {
  await sql`DELETE FROM wills WHERE session_id = ${sessionId}`.execute(db);
}

/** Deletes a will that is leased to this process. @returns false if it no longer is */
export async function deleteLeased(tx: Tx, { sessionId, leasedUntil }: DueWill): Promise<boolean> {
  const { rows } = await sql`
    DELETE FROM wills WHERE session_id = ${sessionId} AND leased_until = ${leasedUntil} RETURNING session_id`.execute(
    tx,
  );
  return rows.length === 1;
}

/** Leases due wills to this process: no other one publishes them until `leasedUntil`. */
export async function leaseWills(db: Db, now: Date, leasedUntil: Date, limit: number): Promise<DueWill[]> {
  const { rows } = await sql<DueWill>`
    UPDATE wills w SET leased_until = ${leasedUntil}
     WHERE w.session_id = ANY (ARRAY(
       SELECT d.session_id FROM wills d
        WHERE d.due_at <= ${now} AND (d.leased_until IS NULL OR d.leased_until <= ${now})
        ORDER BY d.due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING w.session_id AS "sessionId", w.owner_id AS "ownerId", w.tenant_id AS "tenantId", w.tenant_slug AS "tenantSlug",
              w.client_id AS "clientId", w.is_device AS "isDevice", w.topic, w.payload, w.qos, w.retain, w.properties,
              w.delay_seconds AS "delaySeconds", w.due_at AS "dueAt", w.leased_until AS "leasedUntil", ${isPermitted(sql`w`)} AS "isPermitted"`.execute(
    db,
  );
  return rows;
}
