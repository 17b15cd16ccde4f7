import { type RawBuilder, sql } from "kysely";
import type { QuotaName } from "../../lib/limits/limits.ts";
import { listTotal } from "../../lists/list-total.ts";

type Count = (tenant: RawBuilder<unknown>, now: RawBuilder<unknown>) => RawBuilder<string>;

/** The SQL expression that counts each quota's records. */
const COUNTS: Record<QuotaName, Count> = {
  devices: (tenant) => listTotal("devices", tenant),
  deviceTypes: (tenant) => sql`(SELECT count(*) FROM shared_device_types c WHERE c.tenant_id = ${tenant})`,
  thresholds: (tenant) => sql`(SELECT count(*) FROM shared_thresholds c WHERE c.tenant_id = ${tenant})`,
  rules: (tenant) => sql`(SELECT coalesce(sum(cardinality(c.rule_ids)), 0)
    FROM shared_thresholds c WHERE c.tenant_id = ${tenant})`,
  groups: (tenant) => sql`(SELECT count(*) FROM shared_groups c WHERE c.tenant_id = ${tenant})`,
  channels: (tenant) => sql`(SELECT coalesce(sum(jsonb_array_length(c.channels)), 0)
    FROM shared_groups c WHERE c.tenant_id = ${tenant})`,
  integrations: (tenant) => sql`(SELECT count(*) FROM shared_integrations c WHERE c.tenant_id = ${tenant})`,
  shifts: (tenant) => sql`(SELECT count(*) FROM shared_shifts c WHERE c.tenant_id = ${tenant})`,
  maintenanceWindows: (tenant, now) => sql`(SELECT count(*) FROM shared_maintenance_windows c
    WHERE c.tenant_id = ${tenant} AND (c.ends_at IS NULL OR c.ends_at > ${now}))`,
  users: (tenant) => sql`(SELECT count(*) FROM users c WHERE c.tenant_id = ${tenant} AND c.deleted_at IS NULL)`,
  apiKeys: (tenant, now) => sql`(SELECT count(*) FROM api_keys c WHERE c.tenant_id = ${tenant} AND c.revoked_at IS NULL
    AND (c.expires_at IS NULL OR c.expires_at > ${now}))`,
  mqttClients: (tenant) => sql`(SELECT count(*) FROM shared_mqtt_clients c WHERE c.tenant_id = ${tenant})`,
  openClaims: (tenant, now) => sql`(SELECT count(*) FROM shared_claims c
    WHERE c.tenant_id = ${tenant} AND c.status = 'pending' AND c.expires_at > ${now})`,
  ticketsPerMinute: (tenant, now) => sql`(SELECT count(*) FROM shared_tickets c
    WHERE c.tenant_id = ${tenant} AND c.id >= ${firstIdOf(sql`${now} - interval '1 minute'`)})`,
  deliveriesPerMinute: (tenant, now) => sql`coalesce((SELECT c.others FROM shared_delivery_minutes c
    WHERE c.tenant_id = ${tenant} AND c.minute = date_trunc('minute', ${now})), 0)`,
};

/** Returns the SQL expression for the tenant's use of a quota at `now`. */
export function usedOf(quota: QuotaName, tenant: RawBuilder<unknown>, now: RawBuilder<unknown>): RawBuilder<string> {
  return COUNTS[quota](tenant, now);
}

/** Returns the SQL expression for the tenant's own value of a quota, or `usual`. */
export function quotaValue(
  quota: RawBuilder<unknown>,
  tenant: RawBuilder<unknown>,
  usual: RawBuilder<unknown>,
): RawBuilder<number> {
  return sql`coalesce((SELECT q.value FROM tenant_quotas q
    WHERE q.tenant_id = ${tenant} AND q.quota = ${quota}), ${usual}::int)`;
}

/** Returns the least UUIDv7 of a moment: ids of records sort by creation. */
function firstIdOf(time: RawBuilder<unknown>): RawBuilder<string> {
  const ms = sql`floor(extract(epoch FROM ${time}) * 1000)::bigint`;
  return sql`rpad(lpad(to_hex(${ms}), 12, '0'), 32, '0')::uuid`;
}
