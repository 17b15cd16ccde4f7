/** The groups whose names are those of the viewers in them. */
export const GROUPED = ["few", "half"];
export const TYPES = ["Pump", "Valve", "Fan", "Gate"];

const KEY = `CREATE OR REPLACE FUNCTION bench_key_at(at timestamptz, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((date_part('epoch', at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0') || '8'
    || left(md5(n::text), 15))::uuid $$`;

/**
 * What is common to the rows of device `n`: `s` is a number below 100 that decides the state of its certificate, `y` and `z` spread values within a
 * state. They do not depend on each other nor on `n`, so that the rare devices are spread over the table as in a fleet that has run for long.
 */
const FLEET = `CREATE TEMP TABLE fleet AS
  SELECT n, current_setting('bench.tenant')::uuid AS t, bench_key_at(at, n) AS uid, 'pump-' || n AS id, at, s, y, z, kind,
         CASE WHEN s BETWEEN 7 AND 9 THEN now() + make_interval(days => y % 29, secs => z)
              WHEN s BETWEEN 10 AND 16 THEN now() + make_interval(days => 31 + y % 330, secs => z)
              WHEN s BETWEEN 17 AND 20 THEN now() - make_interval(days => y % 60, secs => z + 1)
              ELSE now() + make_interval(days => 1 + y % 28, secs => z) END AS ends
    FROM (SELECT n, now() - interval '1 year' + n * interval '25 seconds' AS at,
                 x % 100 AS s, y, z, CASE WHEN x % 100 BETWEEN 7 AND 16 THEN 'platform' ELSE 'self_enrolled' END AS kind
            FROM (SELECT n, get_byte(h, 0) * 256 + get_byte(h, 1) AS x, get_byte(h, 2) * 256 + get_byte(h, 3) AS y,
                         get_byte(h, 4) * 256 + get_byte(h, 5) AS z
                    FROM generate_series(1, current_setting('bench.devices')::int) n, LATERAL (SELECT sha256(n::text::bytea) AS h) hashed) numbers) r`;

const DEVICE_TYPES = `INSERT INTO device_types (id, tenant_id, name, publish_topics, created_at, updated_at)
  SELECT bench_key_at(now(), n), current_setting('bench.tenant')::uuid, name, ARRAY['telemetry/{deviceId}'], now(), now()
    FROM unnest('{${TYPES.join(",")}}'::text[]) WITH ORDINALITY types (name, n)`;

/** One in 20 was never seen, three in ten are online; the others were seen last within 90 days. */
const DEVICES = `INSERT INTO devices (uid, tenant_id, id, name, device_type_id, hardware_model, agent_version, connectivity, connectivity_since,
    last_seen_at, created_at, updated_at, certificate_until, certificate_kind, certificate_renew_after, certificate_revoked)
  SELECT f.uid, f.t, f.id, (ARRAY['Feed pump', 'Ball valve', 'Roof fan', 'Yard gate', 'Mixer'])[1 + z % 5] || ' ' || n, dt.id, 'PG-200', '2.4.1',
         CASE WHEN z % 20 = 0 THEN 'never_seen' WHEN z % 20 < 7 THEN 'online' ELSE 'offline' END,
         CASE WHEN z % 20 > 0 THEN now() - make_interval(days => y % 30) END,
         CASE WHEN z % 20 BETWEEN 1 AND 6 THEN now() - make_interval(secs => y % 600)
              WHEN z % 20 > 6 THEN now() - make_interval(days => y % 90, secs => z) END,
         at, at, CASE WHEN s >= 7 THEN ends END, CASE WHEN s >= 7 THEN kind END,
         CASE WHEN s BETWEEN 21 AND 25 THEN now() - make_interval(secs => z)
              WHEN s >= 17 THEN ends - interval '10 hours' END,
         CASE WHEN s < 2 THEN NULL ELSE s < 7 END
    FROM fleet f LEFT JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM device_types WHERE tenant_id = current_setting('bench.tenant')::uuid) dt
      ON dt.place = y % 5 ORDER BY f.uid`;

/** What the messages of the devices that were seen left behind. */
const LATEST = `INSERT INTO device_latest (device_uid, metrics, kinds, version, seen_at, ts, received_at, written, numbers)
  SELECT uid, '{temperature}', 'n', 1, last_seen_at, last_seen_at, last_seen_at, pg_current_xact_id(), '{20}' FROM devices
   WHERE tenant_id = current_setting('bench.tenant')::uuid AND last_seen_at IS NOT NULL ORDER BY uid`;

/** A device without a certificate has none; every fiftieth other has a former one, which a renewal has replaced. */
const CERTIFICATES = `INSERT INTO certificates (id, tenant_id, device_uid, device_id, kind, serial_number, fingerprint_sha256, spki_sha256, der, subject,
    publish_topics, subscribe_topics, issued_at, not_before, not_after, renew_after, issued_by, revoked_at, revoked_by, revocation_reason)
  SELECT bench_key_at(issued, n + 7 * former), t, uid, id, kind, md5(n || '/' || former), encode(sha256((n || '/' || former)::bytea), 'hex'),
         sha256(n::text::bytea), decode(repeat(md5(n::text), 40), 'hex'), 'CN=' || id, ARRAY['telemetry/' || id], '{}',
         issued, issued, ends - former * interval '30 days', NULL, 'bench', CASE WHEN gone THEN issued + interval '1 day' END,
         CASE WHEN gone THEN 'bench' END, CASE WHEN gone THEN 'requested' END
    FROM (SELECT *, ends - (former + 1) * interval '30 days' AS issued, s < 7 OR former = 1 AS gone
            FROM fleet, LATERAL generate_series(0, CASE WHEN n % 50 = 0 THEN 1 ELSE 0 END) former WHERE s >= 2) r ORDER BY issued`;

const GROUPS = `INSERT INTO groups (id, tenant_id, name, created_at, updated_at)
  SELECT bench_key_at(now(), n), current_setting('bench.tenant')::uuid, name, now(), now()
    FROM unnest('{${GROUPED.join(",")}}'::text[]) WITH ORDINALITY g (name, n)`;

const GROUP_MEMBERS = `INSERT INTO group_members (group_id, user_id)
  SELECT g.id, u.id FROM groups g JOIN users u USING (tenant_id) WHERE u.email = g.name || '@bench.example'`;

const GROUPS_OF_DEVICES = `INSERT INTO device_groups (device_uid, group_id)
  SELECT f.uid, g.id FROM fleet f JOIN groups g ON g.name = 'half' AND n % 2 = 0 OR g.name = 'few' AND n % 100 = 1`;

/** Statements that fill the tenant `bench.tenant` with `bench.devices` devices. */
export const FILLING = [
  KEY,
  FLEET,
  DEVICE_TYPES,
  DEVICES,
  LATEST,
  CERTIFICATES,
  GROUPS,
  GROUP_MEMBERS,
  GROUPS_OF_DEVICES,
];

/**
 * What connects and messages leave behind: the pages of the devices that are online have changed since the last VACUUM, so that no index
 * alone answers.
 */
export const SEEN_AGAIN = `WITH connected AS (
    UPDATE devices SET last_seen_at = last_seen_at + interval '1 second'
     WHERE tenant_id = current_setting('bench.tenant')::uuid AND connectivity = 'online' RETURNING uid)
  UPDATE device_latest l SET seen_at = seen_at + interval '2 seconds' FROM connected c WHERE l.device_uid = c.uid`;
