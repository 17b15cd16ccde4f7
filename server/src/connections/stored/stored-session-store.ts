import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { pruneInBatches } from "../../db/prune.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, SECOND } from "../../lib/clock.ts";
import { type StoredMessage, selectMessages } from "./stored-message-store.ts";
import { beginLostDelays, deleteWillsOf, endDelay, insertWills, type StoredWill } from "./will-store.ts";

/** A stored subscription: the filter and the options granted by the engine. */
export interface StoredSubscription {
  filter: string;
  [granted: string]: unknown;
}

/** A connection's request for its owner's stored session. */
export interface ResumeRequest {
  ownerId: string;
  tenantId: string;
  clientId: string;
  certificateId: string | null;
  sessionId: string;
  expirySeconds: number;
  /** Whether an existing stored session is deleted first. */
  clean: boolean;
  /** The will of this connection, if it is delayed. */
  will?: StoredWill | undefined;
}

export interface ResumedSession {
  /** Whether a stored session existed. */
  isPresent: boolean;
  subscriptions: StoredSubscription[];
  incomingIds: number[];
  /** The messages in the order in which they are sent. */
  messages: StoredMessage[];
}

/** The state of a stored session that every process knows. */
export interface KnownSession {
  ownerId: string;
  tenantId: string;
  subscriptions: StoredSubscription[];
  /** `null` while its owner is connected. */
  expiresAt: Date | null;
}

const CHANNEL = sql`'muster_stored_sessions'`;

/** SQL: the session is the current one of its client id. */
const isCurrent = ({ clientId, sessionId }: ResumeRequest) =>
  sql`EXISTS (SELECT FROM mqtt_sessions m WHERE m.client_id = ${clientId} AND m.session_id = ${sessionId}::uuid)`;

/**
 * Gives an owner's stored session to a connection, or creates one; from then on no other connection writes it.
 *
 * @returns `undefined` if another connection has replaced this one
 */
export async function resumeSession(db: Db, asked: ResumeRequest, now: Date): Promise<ResumedSession | undefined> {
  const { ownerId, clientId, sessionId, certificateId, tenantId, expirySeconds } = asked;
  return await inTransaction(db, async (tx) => {
    await sql`DELETE FROM stored_sessions
      WHERE owner_id = ${ownerId} AND (${asked.clean} OR expires_at <= ${now}) AND ${isCurrent(asked)}`.execute(tx);
    const { rows } = await sql<Omit<ResumedSession, "isPresent" | "messages">>`
      UPDATE stored_sessions SET session_id = ${sessionId}, certificate_id = ${certificateId},
             expiry_seconds = ${expirySeconds}, expires_at = NULL
       WHERE owner_id = ${ownerId} AND ${isCurrent(asked)}
      RETURNING subscriptions, incoming_ids AS "incomingIds"`.execute(tx);
    await notifyOf(tx, ownerId);
    if (rows[0]) {
      await deleteWillsOf(tx, ownerId);
      if (asked.will) await insertWills(tx, [asked.will]);
      return { isPresent: true, ...rows[0], messages: await selectMessages(tx, ownerId, now) };
    }
    const added = await sql`
      INSERT INTO stored_sessions (owner_id, tenant_id, client_id, certificate_id, session_id, expiry_seconds)
      SELECT ${ownerId}::uuid, ${tenantId}::uuid, ${clientId}::text, ${certificateId}::uuid, ${sessionId}::uuid, ${expirySeconds}::integer
       WHERE ${isCurrent(asked)} ON CONFLICT DO NOTHING RETURNING owner_id`.execute(tx);
    if (added.rows.length === 0) return undefined;
    await endDelay(tx, ownerId, now);
    if (asked.will) await insertWills(tx, [asked.will]);
    return { isPresent: false, subscriptions: [], incomingIds: [], messages: [] };
  });
}

/** Stores the subscriptions of a connected session, unless another connection has it by now. */
export async function writeSubscriptions(
  db: Db,
  { ownerId, sessionId }: Pick<ResumeRequest, "ownerId" | "sessionId">,
  subscriptions: readonly StoredSubscription[],
): Promise<void> {
  await sql`
    WITH written AS (
      UPDATE stored_sessions s SET subscriptions = given.subscriptions
        FROM (SELECT ${JSON.stringify(subscriptions)}::text::jsonb AS subscriptions) given
       WHERE owner_id = ${ownerId} AND session_id = ${sessionId} AND s.subscriptions <> given.subscriptions
      RETURNING owner_id
    ) SELECT pg_notify(${CHANNEL}, owner_id::text) FROM written`.execute(db);
}

/** Records the end of a stored session's connection. @returns whether it still had the session */
export async function partSession(
  tx: Tx,
  { ownerId, sessionId }: Pick<ResumeRequest, "ownerId" | "sessionId">,
  { incomingIds, expiresAt, expirySeconds }: { incomingIds: number[]; expiresAt: Date; expirySeconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE stored_sessions SET expires_at = ${expiresAt}, expiry_seconds = ${expirySeconds},
           incoming_ids = ${incomingIds}::integer[]
     WHERE owner_id = ${ownerId} AND session_id = ${sessionId} RETURNING owner_id`.execute(tx);
  await notifyOf(tx, ownerId);
  return rows.length === 1;
}

/** Deletes an owner's stored session with its messages. @param sessionId only if this connection has it */
export async function deleteStoredSession(db: Db, ownerId: string, sessionId?: string): Promise<void> {
  const ofSession = sessionId === undefined ? sql`true` : sql`session_id = ${sessionId}`;
  await sql`DELETE FROM stored_sessions WHERE owner_id = ${ownerId} AND ${ofSession}`.execute(db);
  await notifyOf(db, ownerId);
}

async function notifyOf(db: Db, ownerId: string): Promise<void> {
  await sql`SELECT pg_notify(${CHANNEL}, ${ownerId})`.execute(db);
}

const known = sql`owner_id AS "ownerId", tenant_id AS "tenantId", subscriptions, expires_at AS "expiresAt"`;
const lasts = (now: Date) => sql`(expires_at IS NULL OR expires_at > ${now})`;

/** Returns the unexpired stored sessions by owner, after `after`. */
export async function listStored(db: Db, after: string, now: Date, limit: number): Promise<KnownSession[]> {
  const { rows } = await sql<KnownSession>`
    SELECT ${known} FROM stored_sessions WHERE owner_id > ${after}::uuid AND ${lasts(now)}
     ORDER BY owner_id LIMIT ${limit}`.execute(db);
  return rows;
}

/** Returns an owner's stored session unless it has expired. */
export async function readStored(db: Db, ownerId: string, now: Date): Promise<KnownSession | undefined> {
  const { rows } = await sql<KnownSession>`
    SELECT ${known} FROM stored_sessions WHERE owner_id = ${ownerId} AND ${lasts(now)}`.execute(db);
  return rows[0];
}

export async function countStored(db: Db, tenantId: string): Promise<{ sessions: number; bytes: number }> {
  const { rows } = await sql<{ sessions: string; bytes: string }>`
    SELECT (SELECT count(*) FROM stored_sessions WHERE tenant_id = ${tenantId}) AS sessions,
           (SELECT coalesce(sum(bytes), 0) FROM stored_messages WHERE tenant_id = ${tenantId}) AS bytes`.execute(db);
  return { sessions: Number(rows[0]!.sessions), bytes: Number(rows[0]!.bytes) };
}

/** Deletes expired stored sessions, and starts the expiry of those whose process crashed. */
export async function pruneStored(db: Db, now: Date, stopped?: AbortSignal): Promise<void> {
  const deleteBatch = async (limit: number) => {
    const { numAffectedRows } = await sql`
      DELETE FROM stored_sessions WHERE owner_id = ANY (ARRAY(
        SELECT owner_id FROM stored_sessions WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit}))`.execute(
      db,
    );
    return Number(numAffectedRows ?? 0);
  };
  await pruneInBatches(deleteBatch, { stopped });
  await pruneInBatches(async (limit) => await partLost(db, now, limit), { stopped });
  await pruneInBatches(async (limit) => await beginLostDelays(db, now, limit), { stopped });
}

/**
 * Starts the expiry of sessions without a connection. A session is open before it resumes its stored session, so one
 * that is not open will not write it any more.
 */
async function partLost(db: Db, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE stored_sessions SET expires_at = ${now}::timestamptz + expiry_seconds * interval '1 second'
     WHERE owner_id = ANY (ARRAY(
       SELECT s.owner_id FROM stored_sessions s WHERE s.expires_at IS NULL
          AND NOT EXISTS (SELECT FROM mqtt_sessions m WHERE m.client_id = s.client_id AND m.session_id = s.session_id)
        LIMIT ${limit}))`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Returns the time when a session that ends at `now` expires. */
export function expiryOf(now: Date, expirySeconds: number): Date {
  return addMs(now, expirySeconds * SECOND);
}
