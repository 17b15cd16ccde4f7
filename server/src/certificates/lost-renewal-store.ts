import { type RawBuilder, sql } from "kysely";
import { OVERDUE_MS } from "../devices/devices.ts";

/**
 * Live certificates whose renewal is late, as queries that other features compose: `id`, `tenant_id`, `device_uid`,
 * `device_id`, `device_name`, `kind`, `serial_number`, `not_after`, and `due_at`, the time when a new one was due. A
 * certificate is left out if its device has another one that expires later.
 */
type Time = RawBuilder<Date>;

/**
 * Returns self-enrolled certificates whose renewal is overdue by at least a day. The longest validity of 30 days bounds
 * the range.
 */
export function overdueRenewals(now: Time): RawBuilder<unknown> {
  const overdue = sql`c.renew_after < ${now}::timestamptz - make_interval(secs => ${sql.lit(OVERDUE_MS / 1_000)})
    AND c.renew_after > ${now}::timestamptz - interval '30 days'`;
  return lastOfDevices(sql`c.kind = 'self_enrolled' AND ${overdue}`, sql`c.renew_after`, now);
}

/** Returns bundles that expire within 30 days. */
export function endingBundles(now: Time): RawBuilder<unknown> {
  const ending = sql`c.not_after < ${now}::timestamptz + interval '30 days'`;
  return lastOfDevices(sql`c.kind = 'platform' AND ${ending}`, sql`c.not_after - interval '30 days'`, now);
}

function lastOfDevices(which: RawBuilder<unknown>, dueAt: RawBuilder<unknown>, now: Time): RawBuilder<unknown> {
  return sql`
  SELECT c.id, c.tenant_id, c.device_uid, c.device_id, d.name AS device_name, c.kind, c.serial_number, c.not_after, ${dueAt} AS due_at
    FROM certificates c JOIN shared_devices d ON d.uid = c.device_uid AND d.deleted_at IS NULL AND d.certificate_until = c.not_after
   WHERE c.revoked_at IS NULL AND c.not_after > ${now}::timestamptz AND ${which}`;
}
