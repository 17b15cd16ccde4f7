import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../db/database.ts";

/** Adds the row of a template without one. With `around`, its numbers follow those in names of the tenant's devices. */
export async function startNumbers(
  tx: Tx,
  tenantId: string,
  template: string,
  around: { prefix: string; suffix: string } | undefined,
): Promise<void> {
  const known = await sql`
    SELECT 1 FROM device_name_numbers WHERE tenant_id = ${tenantId} AND template = ${template}`.execute(tx);
  if (known.rows.length > 0) return;
  const last = around === undefined ? sql`0` : greatestNumber(tenantId, around);
  await sql`
    INSERT INTO device_name_numbers (tenant_id, template, last) VALUES (${tenantId}, ${template}, ${last})
    ON CONFLICT DO NOTHING`.execute(tx);
}

function greatestNumber(tenantId: string, { prefix, suffix }: { prefix: string; suffix: string }) {
  const length = (text: string) => sql`char_length(${text}::text)`;
  const around = sql`(${length(prefix)} + ${length(suffix)})`;
  const number = sql`substr(d.name, ${length(prefix)} + 1, char_length(d.name) - ${around})`;
  return sql`coalesce((
    SELECT max(CASE WHEN char_length(d.name) > ${around} AND ${number} ~ '^[0-9]{1,9}$' THEN ${number}::bigint END)
    FROM shared_devices d
    WHERE d.tenant_id = ${tenantId} AND d.deleted_at IS NULL AND starts_with(d.name, ${prefix})
      AND right(d.name, ${length(suffix)}) = ${suffix}), 0)`;
}

/**
 * Returns SQL that locks the numbers of templates in their order, so that two statements never deadlock.
 *
 * @param claims FROM item whose rows have `intended_name`
 */
export function lockNumbers(tenantId: RawBuilder<unknown>, claims: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT n.template FROM device_name_numbers n
    WHERE n.tenant_id = ${tenantId}::uuid
      AND n.template = ANY (ARRAY(SELECT intended_name FROM ${claims} WHERE position('{n}' IN intended_name) > 0))
    ORDER BY n.template FOR NO KEY UPDATE`;
}

/**
 * Returns SQL that takes as many numbers of each locked template as it names devices; it yields `template` and
 * `before`, the last number of earlier devices.
 *
 * @param devices FROM item with a row per device, which has `intended_name`
 */
export function takeNumbers(tenantId: RawBuilder<unknown>, devices: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    UPDATE device_name_numbers n SET last = n.last + w.devices
    FROM (SELECT intended_name, count(*) AS devices FROM ${devices} GROUP BY intended_name) w
    WHERE n.tenant_id = ${tenantId}::uuid AND n.template = w.intended_name
      AND n.template = ANY (ARRAY(SELECT template FROM numbers))
    RETURNING n.template, n.last - w.devices AS before`;
}
