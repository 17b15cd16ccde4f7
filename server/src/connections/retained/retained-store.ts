import { type RawBuilder, sql } from "kysely";
import { bytesArray, plainArray, textArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import { pruneInBatches } from "../../db/prune.ts";

/** The last message of a topic. */
export interface RetainedMessage {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  /** The MQTT 5 properties that are forwarded, encoded; the expiry is separate. */
  properties: Buffer;
  expiresAt: Date | null;
}

export interface NewRetained extends RetainedMessage {
  /** The publishing device's uid, or the id of the MQTT client. */
  ownerId: string;
}

export interface VersionedMessage extends NewRetained {
  /** Higher than that of every earlier message of the topic. */
  version: number;
}

export interface TenantCaps {
  messages: number;
  bytes: number;
}

/** A topic that its publisher may publish to; `version` is null if the tenant has too many messages or bytes. */
export interface Written {
  topic: string;
  version: string | null;
}

/**
 * SQL: a message's publisher may publish to its topic. A revoked certificate ends that right, an expired one does not.
 */
const hasPublisher = (message: RawBuilder<unknown>, enabled: RawBuilder<unknown>) => sql`(
  EXISTS (SELECT FROM shared_certificates c WHERE c.device_uid = ${message}.owner_id AND c.revoked_at IS NULL
             AND ${message}.topic = ANY (c.publish_topics))
  OR EXISTS (SELECT FROM mqtt_clients m WHERE m.id = ${message}.owner_id AND ${enabled}
             AND ${message}.topic = ANY (m.publish_topics)))`;

/** SQL: a message's sender may publish it now. */
export const isPermitted = (message: RawBuilder<unknown>) =>
  hasPublisher(message, sql`m.disabled_at IS NULL AND NOT m.suspended`);

/** SQL: a retained message is still delivered, even if its MQTT client was suspended after publishing it. */
const isKept = (message: RawBuilder<unknown>) => hasPublisher(message, sql`m.disabled_at IS NULL`);

/**
 * Serializes the writes of a tenant's messages, so that their count is exact. Transactions that end a publisher's
 * rights take the same lock, so they see every message (migration 46).
 */
export async function lockTenant(tx: Tx, tenantId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`retained ${tenantId}`}, 0))`.execute(tx);
}

/** Fires `retained_messages_changed`. */
export async function deleteTopics(tx: Tx, tenantId: string, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  await sql`DELETE FROM retained_messages WHERE tenant_id = ${tenantId} AND topic = ANY (${textArray(topics)}::text::text[])`.execute(
    tx,
  );
}

/**
 * Retains messages of one tenant on different topics, each replacing its predecessor. If there is no room, expired
 * messages are deleted first. Requires {@link lockTenant}.
 */
export async function writeRetained(
  tx: Tx,
  tenantId: string,
  messages: readonly NewRetained[],
  { caps, now }: { caps: TenantCaps; now: Date },
): Promise<Written[]> {
  const written = await upsertRetained(tx, tenantId, messages, caps);
  const refused = new Set(written.flatMap(({ topic, version }) => (version === null ? [topic] : [])));
  if (refused.size === 0 || !(await deleteExpired(tx, tenantId, now))) return written;
  const again = messages.filter(({ topic }) => refused.has(topic));
  return [...written.filter(({ version }) => version !== null), ...(await upsertRetained(tx, tenantId, again, caps))];
}

/**
 * Fires `retained_messages_changed`.
 *
 * @returns whether any were deleted
 */
async function deleteExpired(tx: Tx, tenantId: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    DELETE FROM retained_messages WHERE tenant_id = ${tenantId} AND expires_at <= ${now}`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Fires `retained_messages_changed`. */
async function upsertRetained(
  tx: Tx,
  tenantId: string,
  messages: readonly NewRetained[],
  caps: TenantCaps,
): Promise<Written[]> {
  if (messages.length === 0) return [];
  const { rows } = await sql<Written>`
    WITH asked AS (
      SELECT a.*, octet_length(a.topic) + octet_length(a.payload) + octet_length(a.properties) AS bytes
        FROM unnest(${plainArray(messages.map(({ ownerId }) => ownerId))}::text::uuid[],
                    ${textArray(messages.map(({ topic }) => topic))}::text::text[],
                    ${bytesArray(messages.map(({ payload }) => payload))}::text::bytea[],
                    ${plainArray(messages.map(({ qos }) => qos))}::text::smallint[],
                    ${bytesArray(messages.map(({ properties }) => properties))}::text::bytea[],
                    ${textArray(messages.map(({ expiresAt }) => expiresAt?.toISOString()))}::text::timestamptz[])
             WITH ORDINALITY AS a (owner_id, topic, payload, qos, properties, expires_at, n)
    ), permitted AS (
      SELECT a.*, r.bytes AS former FROM asked a
        LEFT JOIN retained_messages r ON r.tenant_id = ${tenantId} AND r.topic = a.topic WHERE ${isPermitted(sql`a`)}
    ), used AS (
      SELECT count(*) AS messages, coalesce(sum(bytes), 0) AS bytes FROM retained_messages WHERE tenant_id = ${tenantId}
    ), counted AS (
      SELECT p.*, u.messages + count(*) FILTER (WHERE p.former IS NULL) OVER arrived AS nth,
             u.bytes + sum(p.bytes - coalesce(p.former, 0)) OVER arrived AS total
        FROM permitted p, used u WINDOW arrived AS (ORDER BY p.n)
    ), written AS (
      INSERT INTO retained_messages AS r
             (tenant_id, topic, owner_id, payload, qos, properties, expires_at, bytes, version)
      SELECT ${tenantId}::uuid, topic, owner_id, payload, qos, properties, expires_at, bytes, nextval('retained_seq')
        FROM counted WHERE (former IS NOT NULL OR nth <= ${caps.messages}) AND (total <= ${caps.bytes} OR bytes <= former)
      ON CONFLICT (tenant_id, topic) DO UPDATE SET owner_id = excluded.owner_id, payload = excluded.payload,
             qos = excluded.qos, properties = excluded.properties, expires_at = excluded.expires_at,
             bytes = excluded.bytes, version = nextval('retained_seq')
      RETURNING r.topic, r.version
    )
    SELECT p.topic, w.version FROM permitted p LEFT JOIN written w ON w.topic = p.topic`.execute(tx);
  return rows;
}

type Row = Omit<VersionedMessage, "version"> & { version: string };

const columns = sql`r.owner_id AS "ownerId", r.topic, r.payload, r.qos, r.properties, r.expires_at AS "expiresAt", r.version`;

const isDeliverable = (now: Date) => sql`(r.expires_at IS NULL OR r.expires_at > ${now}) AND ${isKept(sql`r`)}`;

/** Returns the messages of a tenant by topic, after `after`. */
export async function listRetained(
  db: Db,
  tenantId: string,
  { after, limit, now }: { after: string; limit: number; now: Date },
): Promise<VersionedMessage[]> {
  const { rows } = await sql<Row>`
    SELECT ${columns} FROM retained_messages r
     WHERE r.tenant_id = ${tenantId} AND r.topic > ${after} AND ${isDeliverable(now)}
     ORDER BY r.topic LIMIT ${limit}`.execute(db);
  return rows.map(versioned);
}

/** Returns the retained messages of these topics. */
export async function readRetained(
  db: Db,
  tenantId: string,
  topics: readonly string[],
  now: Date,
): Promise<VersionedMessage[]> {
  const { rows } = await sql<Row>`
    SELECT ${columns} FROM retained_messages r
     WHERE r.tenant_id = ${tenantId} AND r.topic = ANY (${textArray(topics)}::text::text[]) AND ${isDeliverable(now)}`.execute(
    db,
  );
  return rows.map(versioned);
}

function versioned({ version, ...row }: Row): VersionedMessage {
  return { ...row, version: Number(version) };
}

/** A publisher: a device, the device of a certificate, or an MQTT client. */
export type RetainedOwner = { certificateId: string } | { deviceUid: string } | { mqttClientId: string };

/** Returns the device's uid, or the id of the MQTT client. */
export async function readOwner(db: Db, owner: RetainedOwner): Promise<string | undefined> {
  if ("deviceUid" in owner) return owner.deviceUid;
  if ("mqttClientId" in owner) return owner.mqttClientId;
  const { rows } = await sql<{ uid: string }>`
    SELECT device_uid AS uid FROM shared_certificates WHERE id = ${owner.certificateId}`.execute(db);
  return rows[0]?.uid;
}

/** Fires `retained_messages_changed`. */
export async function pruneRetained(db: Db, now: Date, stopped?: AbortSignal): Promise<void> {
  await pruneInBatches(
    async (limit) => {
      const { numAffectedRows } = await sql`
        DELETE FROM retained_messages WHERE (tenant_id, topic) IN (
          SELECT tenant_id, topic FROM retained_messages WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`.execute(
        db,
      );
      return Number(numAffectedRows ?? 0);
    },
    { stopped },
  );
}
