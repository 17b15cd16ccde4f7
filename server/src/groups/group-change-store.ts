import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { unlessTaken } from "../db/refusal.ts";
import type { Channel } from "./channels.ts";
import type { AlwaysPages, EscalationStep } from "./escalation.ts";

/** A change to a group. `undefined` fields stay unchanged. */
export interface GroupChange {
  name?: string | undefined;
  description?: string | undefined;
  channels?: Channel[] | undefined;
  escalation?: EscalationStep[] | undefined;
  pagesLostRenewals?: boolean | undefined;
  tellsHandOvers?: boolean | undefined;
  alwaysPages?: AlwaysPages | undefined;
  externalId?: string | null | undefined;
}

const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value));

/** Fires `groups_channels_named`, `groups_webhooks_named`. @throws MusterError already_exists */
export async function updateGroupRow(
  tx: Tx,
  tenantId: string,
  id: string,
  { name, description, channels, escalation, pagesLostRenewals, tellsHandOvers, alwaysPages, externalId }: GroupChange,
  now: Date,
): Promise<void> {
  const update = sql`
    UPDATE groups SET name = coalesce(${name ?? null}::text, name),
           description = coalesce(${description ?? null}::text, description),
           escalation = coalesce(${json(escalation)}::jsonb, escalation),
           pages_lost_renewals = coalesce(${pagesLostRenewals ?? null}::boolean, pages_lost_renewals),
           tells_hand_overs = coalesce(${tellsHandOvers ?? null}::boolean, tells_hand_overs),
           always_pages = coalesce(${alwaysPages ?? null}::text, always_pages),
           external_id = CASE WHEN ${externalId === undefined}::boolean THEN external_id ELSE ${externalId ?? null}::text END,
           updated_at = ${now}
     WHERE tenant_id = ${tenantId} AND id = ${id}`;
  await unlessTaken("groups_external_id", externalId, () => update.execute(tx));
  // Unchanged channels must not be written, because that would ask their receivers to confirm again.
  if (channels)
    await sql`UPDATE groups SET channels = ${json(channels)}::jsonb
      WHERE tenant_id = ${tenantId} AND id = ${id} AND channels <> ${json(channels)}::jsonb`.execute(tx);
}

/**
 * Replaces the people among the members of the group by those of `userIds` that are people of the tenant.
 *
 * @returns these
 */
export async function setMembers(tx: Tx, tenantId: string, groupId: string, userIds: string[]): Promise<Set<string>> {
  await sql`DELETE FROM group_members
    WHERE group_id = ${groupId} AND NOT user_id = ANY (${userIds}::uuid[])
      AND user_id IN (SELECT u.id FROM shared_users u WHERE u.tenant_id = ${tenantId})`.execute(tx);
  const { rows } = await sql<{ user_id: string }>`
    WITH wanted AS (SELECT u.id FROM shared_users u
      WHERE u.tenant_id = ${tenantId} AND u.deleted_at IS NULL AND u.id = ANY (${userIds}::uuid[])),
    added AS (INSERT INTO group_members (group_id, user_id) SELECT ${groupId}::uuid, id FROM wanted ON CONFLICT DO NOTHING)
    SELECT id AS user_id FROM wanted`.execute(tx);
  return new Set(rows.map((row) => row.user_id));
}

/** Ends memberships of a user, with the groups locked in one order. @returns the ids of the groups that were left */
export async function leaveGroupsAsMember(
  tx: Tx,
  of: { tenantId: string; userId: string; groupIds: readonly string[]; now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH locked AS MATERIALIZED (
      SELECT id FROM groups WHERE tenant_id = ${of.tenantId} AND id = ANY (${[...of.groupIds]}::uuid[])
      ORDER BY id FOR NO KEY UPDATE),
    gone AS (
      DELETE FROM group_members m USING locked l WHERE m.group_id = l.id AND m.user_id = ${of.userId} RETURNING group_id)
    UPDATE groups g SET updated_at = ${of.now} FROM gone WHERE g.id = gone.group_id RETURNING g.id`.execute(tx);
  return rows.map(({ id }) => id).sort();
}

/** Locks the group so that no device can be added to it. @returns whether the tenant has it */
export async function lockGroupToDelete(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM groups WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE`.execute(tx);
  return rows.length > 0;
}

/** The references to a group: its devices, and claims that can still be redeemed. */
export interface GroupUse {
  devices: number;
  openClaims: number;
}

export async function countGroupUse(tx: Tx, tenantId: string, id: string, now: Date): Promise<GroupUse> {
  const { rows } = await sql<{ devices: string; openClaims: string }>`
    SELECT (SELECT count(*) FROM shared_device_groups WHERE group_id = ${id}) AS devices,
           (SELECT count(*) FROM shared_claims c WHERE c.tenant_id = ${tenantId} AND c.status = 'pending'
               AND c.expires_at > ${now} AND ${id}::uuid = ANY (c.intended_group_ids)) AS "openClaims"`.execute(tx);
  return { devices: Number(rows[0]!.devices), openClaims: Number(rows[0]!.openClaims) };
}

/**
 * Deletes the group with its members, shift assignments and pages. Tickets stay, without a group. Fires
 * `webhooks_address`.
 */
export async function deleteGroupRow(tx: Tx, tenantId: string, id: string): Promise<void> {
  await sql`DELETE FROM groups WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
}

/** @returns whether the shift was assigned to the group */
export async function removeShift(tx: Tx, groupId: string, shiftId: string): Promise<boolean> {
  const { rows } = await sql`
    DELETE FROM group_shifts WHERE group_id = ${groupId} AND shift_id = ${shiftId} RETURNING 1`.execute(tx);
  return rows.length > 0;
}

/** Returns those `ids` (UUIDs) that are groups of the tenant. */
export async function findGroupIds(db: Db, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM groups WHERE tenant_id = ${tenantId} AND id = ANY (${[...ids]}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Locks the groups in one order, as {@link lockGroup} does, and adds the user to those with fewer than `most` members
 * in which the user is not yet.
 *
 * @returns the ids of these groups
 */
export async function joinGroupsAsMember(
  tx: Tx,
  of: { tenantId: string; userId: string; groupIds: readonly string[]; most: number; now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH locked AS MATERIALIZED (
      SELECT id FROM groups WHERE tenant_id = ${of.tenantId} AND id = ANY (${[...of.groupIds]}::uuid[])
      ORDER BY id FOR NO KEY UPDATE),
    joined AS (
      INSERT INTO group_members (group_id, user_id)
      SELECT l.id, ${of.userId}::uuid FROM locked l
       WHERE (SELECT count(*) FROM group_members m WHERE m.group_id = l.id) < ${of.most}
      ON CONFLICT DO NOTHING RETURNING group_id)
    UPDATE groups g SET updated_at = ${of.now} FROM joined j WHERE g.id = j.group_id RETURNING g.id`.execute(tx);
  return rows.map(({ id }) => id).sort();
}
