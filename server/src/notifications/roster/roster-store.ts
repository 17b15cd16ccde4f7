import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { Roster, RosterAbsence } from "./roster.ts";

/** SQL: a user who may be notified, neither deactivated nor deleted. */
export const ACTIVE = sql`u.deleted_at IS NULL AND u.status = 'active'`;
export const PEOPLE = sql`coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'email', u.email) ORDER BY u.id), '[]')`;

/** SQL: shift `s` as a {@link RosterShift}, in JSON. */
const SHIFT = sql`jsonb_build_object('id', s.id, 'name', s.name, 'timeZone', s.time_zone,
  'startTime', s.start_time, 'endTime', s.end_time, 'daysOfWeek', s.days_of_week,
  'validFrom', s.valid_from, 'validUntil', s.valid_until, 'layer', s.layer, 'rotation', s.rotation, 'users', (
    SELECT ${PEOPLE} FROM shared_shift_users m JOIN shared_users u ON u.id = m.user_id
     WHERE m.shift_id = s.id AND ${ACTIVE}))`;

const MS = (time: RawBuilder<unknown>) => sql`(extract(epoch FROM ${time}) * 1000)::bigint`;

/** SQL: the column `overrides` of the {@link Roster} of a group, in the order in which they apply. */
export function overridesColumn(groupId: RawBuilder<unknown>) {
  return sql`
    (SELECT coalesce(jsonb_agg(jsonb_build_object('startsAt', ${MS(sql`o.starts_at`)}, 'endsAt', ${MS(sql`o.ends_at`)},
              'replaces', o.replaces_id,
              'user', CASE WHEN ${ACTIVE} THEN jsonb_build_object('id', u.id, 'email', u.email) END) ORDER BY o.agreed_at, o.id), '[]')
       FROM duty_overrides o JOIN shared_users u ON u.id = o.user_id
      WHERE o.group_id = ${groupId} AND o.state = 'agreed') AS overrides`;
}

/** SQL: the column `absences` of a {@link Roster}. @param users the ids of the users: a subquery */
export function absencesColumn(users: RawBuilder<unknown>) {
  return sql`
    (SELECT coalesce(jsonb_agg(jsonb_build_object('userId', a.user_id, 'startsAt', ${MS(sql`a.starts_at`)},
              'endsAt', ${MS(sql`a.ends_at`)})), '[]') FROM absences a WHERE a.user_id IN (${users})) AS absences`;
}

/** SQL: the column `shifts` of a {@link Roster}. @param shifts the ids of the shifts: a subquery */
export function rosterColumn(shifts: RawBuilder<unknown>) {
  return sql`
    (SELECT coalesce(jsonb_agg(${SHIFT} ORDER BY s.id), '[]') FROM shared_shifts s WHERE s.id IN (${shifts})) AS shifts`;
}

/** Reads shifts of the tenant without a group, by id: nothing overrides their duties. */
export async function readRoster(db: Db, tenantId: string, shiftIds: readonly string[]): Promise<Roster> {
  const ids = sql`SELECT s.id FROM shared_shifts s WHERE s.tenant_id = ${tenantId} AND s.id = ANY (${[...shiftIds]}::uuid[])`;
  const users = sql`SELECT m.user_id FROM shared_shift_users m WHERE m.shift_id IN (${ids})`;
  const { rows } = await sql<Roster>`
    SELECT ${rosterColumn(ids)}, '[]'::jsonb AS overrides, ${absencesColumn(users)}`.execute(db);
  return rows[0]!;
}

/** Reads all absences of these users. */
export async function readAbsencesOf(db: Db, userIds: readonly string[]): Promise<RosterAbsence[]> {
  const users = sql`SELECT unnest(${[...userIds]}::uuid[])`;
  const { rows } = await sql<Pick<Roster, "absences">>`SELECT ${absencesColumn(users)}`.execute(db);
  return rows[0]!.absences;
}
