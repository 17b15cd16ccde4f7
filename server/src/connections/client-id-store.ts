import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { type Parameters, runStatement, statement } from "../db/statement.ts";
import { clientIdInUse } from "./errors.ts";

/** SQL: a device extends its tenant's lease, which is its own or that of a deleted device with the same id. */
const extended = sql`(lease.holder = 'device' AND excluded.holder = 'device' AND lease.tenant_id = excluded.tenant_id)`;

/**
 * Builds the statement that leases a client id, which is unique in the whole broker. A device leases it until its
 * certificate ends, an MQTT client permanently (`infinity`). The statement returns no row while another client has the
 * id. The lock on the id's row ensures that only one of two concurrent requests succeeds (spec 4.10).
 *
 * @param lease SELECT of `client_id`, `tenant_id`, `holder` (`device` or `mqtt_client`), `live_until`
 */
function leaseClientId(lease: RawBuilder<unknown>, now: RawBuilder<Date>): RawBuilder<unknown> {
  return sql`
    INSERT INTO client_ids AS lease (client_id, tenant_id, holder, live_until)
    ${lease}
    ON CONFLICT (client_id) DO UPDATE SET tenant_id = excluded.tenant_id, holder = excluded.holder,
      live_until = CASE WHEN ${extended} THEN greatest(lease.live_until, excluded.live_until)
        ELSE excluded.live_until END
    WHERE ${extended} OR lease.live_until <= ${now}::timestamptz
    RETURNING client_id`;
}

/**
 * Builds the CTE `leased`, which leases the device's client id to it until its certificate ends, or extends the lease.
 * It returns no row while an MQTT client or a device of another tenant has the id.
 *
 * @param device FROM item whose row has `tenant_id`, `device_id`
 */
export function leaseToDevice(
  p: Parameters<{ notAfter: Date; now: Date }>,
  device: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const lease = sql`SELECT s.device_id, s.tenant_id, 'device', ${p.notAfter}::timestamptz FROM ${device} s`;
  return sql`leased AS (${leaseClientId(lease, p.now)})`;
}

/**
 * Leases a client id to an MQTT client until it is disabled. The id is free if no client has it, or if its device has
 * no certificate that is live at `now`.
 *
 * @throws {MusterError} client_id_in_use
 */
export async function leaseToMqttClient(tx: Tx, tenantId: string, clientId: string, now: Date): Promise<void> {
  const lease = sql`SELECT ${clientId}::text, ${tenantId}::uuid, 'mqtt_client', 'infinity'::timestamptz`;
  const { rows } = await leaseClientId(lease, sql`${now}`).execute(tx);
  if (rows.length === 0) throw clientIdInUse(clientId);
}

/**
 * Builds a condition: an MQTT client or another tenant's device has the client id now. It allows an early answer;
 * {@link leaseToDevice} decides.
 *
 * @param clientId and `tenantId`: expressions of the surrounding statement
 */
export function isClientIdInUse(
  clientId: RawBuilder<unknown>,
  tenantId: RawBuilder<unknown>,
  now: RawBuilder<Date>,
): RawBuilder<boolean> {
  return sql`EXISTS (SELECT 1 FROM client_ids i WHERE i.client_id = ${clientId}
    AND (i.holder = 'mqtt_client' OR (i.tenant_id <> ${tenantId} AND i.live_until > ${now}::timestamptz)))`;
}

const selectTenant = statement<{ clientId: string }, { tenant_id: string }>(
  "tenant-of-device",
  (p) => sql`SELECT tenant_id FROM client_ids WHERE client_id = ${p.clientId} AND holder = 'device'`,
);

/** Returns the tenant whose device leases this client id. */
export async function findTenantOfDevice(db: Db, clientId: string): Promise<string | undefined> {
  const [row] = await runStatement(db, selectTenant, { clientId });
  return row?.tenant_id;
}
