import { makeKey } from "../../server/src/access/keys/api-key.ts";
import { randomIds } from "../../server/src/lib/ids.ts";
import type { MusterProcess } from "../peers/muster.ts";
import { query } from "../peers/postgres.ts";

/** A tenant with many devices and many keys, inserted into the database directly: creating them through the API takes minutes. */
export interface Fleet {
  readonly tenantId: string;
  readonly deviceIds: readonly string[];
  readonly keys: readonly string[];
}

/** Each device has a type, a group and a live certificate; each key may read devices. */
export async function createFleet(
  muster: MusterProcess,
  databaseUrl: string,
  count: { devices: number; keys: number },
): Promise<Fleet> {
  const slug = "fleet";
  muster.command("tenant", "create", slug, "--name", "Fleet");
  muster.command("user", "create", "--tenant", slug, "--email", "admin@fleet.example", "--role", "admin");
  muster.command(...["device-type", "create", "--tenant", slug, "--name", "Pump", "--topic", "telemetry/{deviceId}"]);
  const [tenant] = await query<{ id: string }>(databaseUrl, "SELECT id FROM tenants WHERE slug = $1", [slug]);
  const tenantId = tenant!.id;
  await query(databaseUrl, GROUP, [tenantId]);
  const devices = await query<{ id: string }>(databaseUrl, DEVICES, [tenantId, count.devices]);
  const keys = Array.from({ length: count.keys }, () => makeKey(randomIds));
  const columns = [keys.map(({ id }) => id), keys.map(({ secretHash }) => secretHash)];
  await query(databaseUrl, KEYS, [tenantId, ...columns]);
  await query(
    databaseUrl,
    "ANALYZE tenants, users, api_keys, groups, device_types, devices, device_groups, certificates",
  );
  return { tenantId, deviceIds: devices.map(({ id }) => id), keys: keys.map(({ text }) => text) };
}

const GROUP = `INSERT INTO groups (id, tenant_id, name, created_at, updated_at)
  VALUES (gen_random_uuid(), $1, 'Hall 1', now(), now())`;

const DEVICES = `WITH made AS (
    INSERT INTO devices (uid, tenant_id, id, name, device_type_id, hardware_fingerprint, fingerprint_key,
                         hardware_model, agent_version, created_at, updated_at)
    SELECT gen_random_uuid(), $1, 'pump-' || n, 'Feed pump ' || n, (SELECT id FROM device_types WHERE tenant_id = $1),
           'SN-' || n, 'sn-' || n, 'PG-200', '2.4.1', now() - n * interval '1 second', now()
      FROM generate_series(1, $2::int) AS n
    RETURNING uid, id),
  grouped AS (
    INSERT INTO device_groups (device_uid, group_id)
    SELECT uid, (SELECT id FROM groups WHERE tenant_id = $1) FROM made),
  certified AS (
    INSERT INTO certificates (id, tenant_id, device_uid, device_id, kind, serial_number, fingerprint_sha256, spki_sha256,
        der, subject, publish_topics, subscribe_topics, issued_at, not_before, not_after, renew_after, issued_by)
    SELECT gen_random_uuid(), $1, uid, id, 'self_enrolled', md5(id), encode(sha256(id::bytea), 'hex'), sha256(id::bytea),
           id::bytea, 'CN=' || id, '{}', '{}', now(), now(), now() + interval '30 days', now() + interval '21 days', 'bench'
      FROM made)
  SELECT id FROM made`;

const KEYS = `INSERT INTO api_keys (id, tenant_id, user_id, name, secret_hash, scopes, created_at)
  SELECT k.id, $1, (SELECT id FROM users WHERE tenant_id = $1), 'bench', decode(k.secret_hash, 'hex'), '{devices:read}', now()
    FROM unnest($2::text[], $3::text[]) AS k (id, secret_hash)`;
