import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/database.ts";
import type { Parameters } from "../db/statement.ts";
import { clientIdInUse } from "./errors.ts";

/** A device extends the lease of its tenant: its own, or that of a deleted device of the same id. */
const extended = sql`(lease.holder = 'device' AND excluded.holder = 'device' AND lease.tenant_id = excluded.tenant_id)`;

/**
 * The statement that leases a client id of the whole broker: to a device until its certificate ends, to an MQTT client for good
 * (`infinity`). It returns no row while another has the id. The lock of the id's row lets only one of two succeed
 * (spec 4.10).
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
 * The CTE `leased`: leases the device's client id to it until its certificate ends, or extends its lease. No row comes out while an
 * MQTT client or a device of another tenant has the id.
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
 * Leases a client id to an MQTT client until it is disabled. The id is free when no one has it, or when its device has no
 * certificate that is live at `now`.
 *
 * @throws MusterError client_id_in_use
 */
export async function leaseToMqttClient(tx: Tx, tenantId: string, clientId: string, now: Date): Promise<void> {
  const lease = sql`SELECT ${clientId}::text, ${tenantId}::uuid, 'mqtt_client', 'infinity'::timestamptz`;
  const { rows } = await leaseClientId(lease, sql`${now}`).execute(tx);
  if (rows.length === 0) throw clientIdInUse(clientId);
}

/**
 * A condition: an MQTT client or another tenant's device has the client id now. Answers early; {@link leaseToDevice} decides.
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
