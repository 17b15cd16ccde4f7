import { sql } from "kysely";
import { bytesArray, plainArray, textArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";

/** A QoS 1 or 2 message for one owner of a stored session. */
export interface NewStoredMessage {
  ownerId: string;
  topic: string;
  payload: Buffer;
  qos: 1 | 2;
  retain: boolean;
  /** The MQTT 5 properties that are forwarded, encoded; the expiry is separate. */
  properties: Buffer;
  expiresAt: Date | undefined;
  /** The identifiers of the subscriptions for which it is stored. */
  subscriptionIds: readonly number[];
  /** The packet id under which it was sent to the client. */
  packetId?: number | undefined;
  /** Whether the client has received it (QoS 2). */
  released?: boolean;
}

export interface StoredMessage extends Omit<NewStoredMessage, "ownerId" | "packetId" | "expiresAt"> {
  position: string;
  packetId: number | null;
  released: boolean;
  expiresAt: Date | null;
}

/** The bytes that a message counts in addition to its topic, payload and properties. */
export const MESSAGE_OVERHEAD = 256;

/** Returns the bytes that a message counts against the limits. */
export function bytesOf({ topic, payload, properties }: NewStoredMessage): number {
  return MESSAGE_OVERHEAD + Buffer.byteLength(topic) + payload.length + properties.length;
}

const stored = sql`position, topic, payload, qos, retain, properties, expires_at AS "expiresAt", subscription_ids AS "subscriptionIds", packet_id AS "packetId", released`;

/** Returns the unexpired messages that wait for an owner, oldest first. */
export async function selectMessages(tx: Tx, ownerId: string, now: Date): Promise<StoredMessage[]> {
  const { rows } = await sql<StoredMessage>`
    SELECT ${stored} FROM stored_messages WHERE owner_id = ${ownerId} AND (expires_at IS NULL OR expires_at > ${now})
     ORDER BY position`.execute(tx);
  return rows;
}

/**
 * Returns the messages stored for a connection since it resumed its stored session, as long as it still has that
 * session.
 */
export async function selectAdded(
  db: Db,
  { ownerId, sessionId }: { ownerId: string; sessionId: string },
  after: string,
  now: Date,
): Promise<StoredMessage[]> {
  const { rows } = await sql<StoredMessage>`
    SELECT ${stored} FROM stored_messages m
     WHERE owner_id = ${ownerId} AND position > ${after}::bigint AND (expires_at IS NULL OR expires_at > ${now})
       AND EXISTS (SELECT FROM stored_sessions s WHERE s.owner_id = m.owner_id AND s.session_id = ${sessionId})
     ORDER BY position`.execute(db);
  return rows;
}

export interface SessionCaps {
  messages: number;
  bytes: number;
}

/**
 * Adds messages to stored sessions, each owner's in order. The newest are left out if an owner would have too many, and
 * so are messages for owners without a stored session. Processes with connections of the owners are notified.
 *
 * @returns the number of added messages
 */
export async function insertMessages(
  tx: Tx,
  messages: readonly NewStoredMessage[],
  caps: SessionCaps,
): Promise<number> {
  if (messages.length === 0) return 0;
  const owners = plainArray([...new Set(messages.map(({ ownerId }) => ownerId))]);
  // Serialized per owner, so that the count below is exact.
  const { rows } = await sql<{ ownerId: string; isConnected: boolean }>`
    SELECT owner_id AS "ownerId", expires_at IS NULL AS "isConnected" FROM stored_sessions
     WHERE owner_id = ANY (${owners}::text::uuid[]) ORDER BY owner_id FOR UPDATE`.execute(tx);
  const { numAffectedRows } = await sql`
    WITH used AS (
      SELECT owner_id, count(*) AS messages, sum(bytes) AS bytes FROM stored_messages
       WHERE owner_id = ANY (${owners}::text::uuid[]) GROUP BY owner_id
    ), ranked AS (
      SELECT g.*, s.tenant_id, coalesce(u.messages, 0) + row_number() OVER arrived AS nth,
             coalesce(u.bytes, 0) + sum(g.bytes) OVER arrived AS total
        FROM unnest(${plainArray(messages.map(({ ownerId }) => ownerId))}::text::uuid[],
                    ${textArray(messages.map(({ topic }) => topic))}::text::text[],
                    ${bytesArray(messages.map(({ payload }) => payload))}::text::bytea[],
                    ${plainArray(messages.map(({ qos }) => qos))}::text::smallint[],
                    ${plainArray(messages.map(({ retain }) => retain))}::text::boolean[],
                    ${bytesArray(messages.map(({ properties }) => properties))}::text::bytea[],
                    ${textArray(messages.map(({ expiresAt }) => expiresAt?.toISOString()))}::text::timestamptz[],
                    ${plainArray(messages.map(({ packetId }) => packetId))}::text::integer[],
                    ${plainArray(messages.map(({ released = false }) => released))}::text::boolean[],
                    ${plainArray(messages.map(bytesOf))}::text::integer[],
                    ${textArray(messages.map(({ subscriptionIds }) => plainArray(subscriptionIds)))}::text::text[])
             WITH ORDINALITY AS g (owner_id, topic, payload, qos, retain, properties, expires_at, packet_id, released, bytes, subscription_ids, n)
        JOIN stored_sessions s ON s.owner_id = g.owner_id LEFT JOIN used u ON u.owner_id = g.owner_id
      WINDOW arrived AS (PARTITION BY g.owner_id ORDER BY g.n)
    )
    INSERT INTO stored_messages
           (owner_id, tenant_id, topic, payload, qos, retain, properties, expires_at, packet_id, released, bytes, subscription_ids)
    SELECT owner_id, tenant_id, topic, payload, qos, retain, properties, expires_at, packet_id, released, bytes, subscription_ids::integer[]
      FROM ranked WHERE nth <= ${caps.messages} AND total <= ${caps.bytes} ORDER BY n`.execute(tx);
  const connected = rows.flatMap(({ ownerId, isConnected }) => (isConnected ? [ownerId] : []));
  if (connected.length > 0) await notifyAdded(tx, connected);
  return Number(numAffectedRows ?? 0);
}

async function notifyAdded(tx: Tx, owners: readonly string[]): Promise<void> {
  await sql`SELECT pg_notify('muster_stored_messages', o) FROM unnest(${plainArray(owners)}::text::text[]) AS o`.execute(
    tx,
  );
}

/** The delivery state of a stored message that the client was sent. */
export interface SentMessage {
  position: string;
  packetId: number;
  released: boolean;
}

export async function updateSent(tx: Tx, sent: readonly SentMessage[]): Promise<void> {
  if (sent.length === 0) return;
  await sql`
    UPDATE stored_messages m SET packet_id = g.packet_id, released = g.released
      FROM unnest(${plainArray(sent.map(({ position }) => position))}::text::bigint[],
                  ${plainArray(sent.map(({ packetId }) => packetId))}::text::integer[],
                  ${plainArray(sent.map(({ released }) => released))}::text::boolean[]) AS g (position, packet_id, released)
     WHERE m.position = g.position`.execute(tx);
}

/** Deletes messages that clients have acknowledged or may not receive. */
export async function deleteMessages(db: Db, positions: readonly string[]): Promise<void> {
  if (positions.length === 0) return;
  await sql`DELETE FROM stored_messages WHERE position = ANY (${plainArray(positions)}::text::bigint[])`.execute(db);
}
