import { sql } from "kysely";
import { bytesArray, plainArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Settings } from "./channel-type.ts";
import type { TypeName } from "./registry.ts";

/** The place of an integration. */
export interface IntegrationKey {
  tenantId: string;
  id: string;
}

export interface IntegrationRow {
  id: string;
  type: TypeName;
  name: string;
  /** The settings that are not secret. */
  settings: Settings;
  created_at: Date;
  /** The groups that name it as a channel. */
  groups: { id: string; name: string }[];
}

/** Returns the name that an integration's secrets are bound to: under another one they do not decrypt. */
export function integrationOwner(tenantId: string, id: string): string {
  return `integration ${tenantId} ${id}`;
}

export interface NewIntegration extends Pick<IntegrationRow, "id" | "type" | "name" | "settings" | "created_at"> {
  tenant_id: string;
  sealed: Buffer;
}

export async function insertIntegration(tx: Tx, row: NewIntegration): Promise<void> {
  await sql`
    INSERT INTO integrations (id, tenant_id, type, name, settings, sealed, created_at)
    VALUES (${row.id}, ${row.tenant_id}, ${row.type}, ${row.name}, ${JSON.stringify(row.settings)}::jsonb, ${row.sealed},
            ${row.created_at})`.execute(tx);
}

/** Lists the tenant's integrations, oldest first. */
export async function listIntegrationRows(db: Db, tenantId: string): Promise<IntegrationRow[]> {
  const { rows } = await sql<IntegrationRow>`
    SELECT i.id, i.type, i.name, i.settings, i.created_at, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) ORDER BY g.id), '[]')
        FROM shared_group_channels c JOIN shared_groups g ON g.id = c.group_id
       WHERE c.tenant_id = i.tenant_id AND c.type = 'integration' AND c.target = i.id::text) AS groups
      FROM integrations i WHERE i.tenant_id = ${tenantId} AND i.user_id IS NULL ORDER BY i.id`.execute(db);
  return rows;
}

/** Locks an integration. A group also locks it before it refers to it. @returns whether the tenant has it */
export async function lockToDelete(tx: Tx, { tenantId, id }: IntegrationKey): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM integrations WHERE tenant_id = ${tenantId} AND id = ${id} AND user_id IS NULL FOR UPDATE`.execute(tx);
  return rows.length > 0;
}

/** Deletes an integration, and the confirmation of its receiver. */
export async function deleteIntegrationRow(tx: Tx, { tenantId, id }: IntegrationKey): Promise<void> {
  await sql`DELETE FROM channel_addresses WHERE ${addressOf({ tenantId, id })}`.execute(tx);
  await sql`DELETE FROM integrations WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
}

/** SQL: the row of an integration in `channel_addresses`. */
const addressOf = ({ tenantId, id }: IntegrationKey) =>
  sql`tenant_id = ${tenantId} AND type = 'integration' AND key = channel_address_key('integration', ${id}::text)`;

/** An integration whose row is locked, so that the master key cannot be rotated. */
export interface SealedIntegration {
  type: TypeName | "web_push";
  settings: Settings;
  sealed: Buffer;
}

/** Locks the integration that a group or a user names; `undefined` if it names none of this id. */
export async function lockNamed(
  tx: Tx,
  { tenantId, id }: IntegrationKey,
  { groupId, userId }: { groupId: string | null; userId: string | null },
): Promise<SealedIntegration | undefined> {
  const { rows } = await sql<SealedIntegration>`
    SELECT i.type, i.settings, i.sealed FROM integrations i
     WHERE i.tenant_id = ${tenantId} AND i.id = ${id} AND CASE WHEN i.user_id IS NULL
       THEN ${userId}::uuid IS NULL AND EXISTS (
         SELECT FROM shared_group_channels c WHERE c.tenant_id = i.tenant_id AND c.group_id = ${groupId}::uuid
            AND c.type = 'integration' AND c.target = i.id::text)
       ELSE i.user_id = ${userId}::uuid END
       FOR SHARE OF i`.execute(tx);
  return rows[0];
}

/**
 * Takes the confirmation of an integration whose service accepts nothing more, and fails its pending messages.
 * @returns the number of failed deliveries
 */
export async function requireNewConfirmation(db: Db, { tenantId, id }: IntegrationKey, now: Date): Promise<number> {
  const { rows } = await sql`
    WITH unconfirmed AS (
      UPDATE channel_addresses
         SET confirmed_at = NULL, confirmed_by = NULL, request_at = NULL, token_sha256 = NULL, token_expires_at = ${now}
       WHERE ${addressOf({ tenantId, id })})
    UPDATE deliveries SET state = 'failed', done_at = ${now}, last_error = 'the service accepts no more messages'
     WHERE tenant_id = ${tenantId} AND channel = 'integration' AND target = ${id} AND state = 'pending'
    RETURNING id`.execute(db);
  return rows.length;
}

/** Re-encrypts every secret after the master key rotation in `tx`; concurrent writes of secrets wait for it. */
export async function encryptIntegrationsAgain(
  tx: Tx,
  reseal: (sealed: Buffer, owner: string) => Buffer,
): Promise<void> {
  const columns = ["id", "tenant_id", "sealed"] as const;
  const rows = await tx.selectFrom("integrations").select(columns).orderBy("id").forNoKeyUpdate().execute();
  const ids = plainArray(rows.map(({ id }) => id));
  const sealed = bytesArray(rows.map((row) => reseal(row.sealed, integrationOwner(row.tenant_id, row.id))));
  await sql`
    UPDATE integrations i SET sealed = n.sealed
      FROM unnest(${ids}::text::uuid[], ${sealed}::text::bytea[]) AS n (id, sealed) WHERE i.id = n.id`.execute(tx);
}
