import { randomUUID } from "node:crypto";
import pg from "pg";
import { makeKey } from "../../server/src/access/keys/api-key.ts";
import { SCOPES } from "../../server/src/access/keys/scopes.ts";
import { randomIds } from "../../server/src/lib/ids.ts";

/** A tenant whose lists are of one length, and keys that may read them. */
export interface LongLists {
  readonly tenantId: string;
  readonly rows: number;
  readonly keys: readonly string[];
}

/** A table to fill: its columns, and the values of row `n` of tenant `t` with the key `id`, created `at`. */
type Content = readonly [columns: string, values: string];

const OF_DEVICE = "device_uid, device_id";
const IN_TURN = (n: number, some: string, others: string) => `CASE WHEN n % ${n} = 0 THEN ${some} ELSE ${others} END`;

const CONTENTS = {
  devices: [
    "uid, tenant_id, id, name, hardware_model, agent_version, connectivity, created_at, updated_at",
    `id, t, 'pump-' || n, 'Feed pump ' || n, 'PG-200', '2.4.1', ${IN_TURN(10, "'online'", "'offline'")}, at, at`,
  ],
  certificates: [
    `id, tenant_id, ${OF_DEVICE}, kind, serial_number, fingerprint_sha256, spki_sha256, der, subject, publish_topics,
     subscribe_topics, issued_at, not_before, not_after, issued_by, revoked_at, revoked_by, revocation_reason`,
    `id, t, id, 'pump-' || n, 'self_enrolled', md5(id::text), encode(sha256(id::text::bytea), 'hex'),
     sha256(id::text::bytea), decode(repeat(md5(id::text), 40), 'hex'), 'CN=pump-' || n, ARRAY['t/bench/pump-' || n], '{}',
     at, at, at + interval '30 days', 'bench', ${IN_TURN(3, "at", "NULL")}, ${IN_TURN(3, "'bench'", "NULL")},
     ${IN_TURN(3, "'requested'", "NULL")}`,
  ],
  certificate_audit: [
    "id, tenant_id, kind, at, actor, device_id, certificate_id, serial_number, fingerprint_sha256",
    `id, t, 'device_cert_enrolled', at, 'bench', 'pump-' || n, id, md5(id::text), encode(sha256(id::text::bytea), 'hex')`,
  ],
  claims: [
    `id, tenant_id, code_hmac, code_hint, intended_name, status, max_uses, used_count, expires_at, created_at, created_by`,
    `id, t, sha256(id::text::bytea), 'wxyz', 'Feed pump', ${IN_TURN(4, "'used'", "'pending'")}, 1,
     ${IN_TURN(4, "1", "0")}, at + interval '1 day', at, 'bench'`,
  ],
  groups: ["id, tenant_id, name, created_at, updated_at", "id, t, 'Hall ' || n, at, at"],
  shifts: [
    "id, tenant_id, name, time_zone, start_time, end_time, days_of_week, created_at, updated_at",
    "id, t, 'Early ' || n, 'Europe/Vienna', '06:00', '14:00', '{mon,tue}', at, at",
  ],
  thresholds: [
    "id, tenant_id, name, rules, created_at, updated_at",
    `id, t, 'Bearing ' || n,
     json_build_array(json_build_object('id', id, 'metric', 'temp', 'operator', 'gt', 'value', 80, 'severity', 'major')),
     at, at`,
  ],
  anomalies: [
    `id, tenant_id, ${OF_DEVICE}, threshold_id, rule_id, metric, value, breached, severity, status, message, opened_at,
     last_observed_at, occurrences, resolved_at, resolved_by`,
    `id, t, id, 'pump-' || n, id, id, 'temp', '93', '80', 'major', ${IN_TURN(5, "'open'", "'resolved'")}, 'temp is above 80',
     at, at, 1, ${IN_TURN(5, "NULL", "at")}, ${IN_TURN(5, "NULL", "'system'")}`,
  ],
  tickets: [
    "id, tenant_id, number, title, type, priority, status, created_by, created_at, updated_at",
    `id, t, n, 'Grease ' || n, 'preventive', 'low', ${IN_TURN(6, "'cancelled'", "'open'")}, 'bench', at, at`,
  ],
} as const satisfies Record<string, Content>;

export type LongList = keyof typeof CONTENTS;
export const LONG_LISTS = Object.keys(CONTENTS) as LongList[];

/** A UUIDv7 of row `n` of a tenant, ten milliseconds after the row before. */
const KEY_FUNCTION = `CREATE OR REPLACE FUNCTION bench_key(t uuid, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex(1700000000000 + n * 10), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0') || '8'
    || left(md5(t::text || n), 15))::uuid $$`;

/** From so many rows on it is sooner done to make the indexes afterwards. */
const MANY_ROWS = 2_000_000;

/** Fills `lists` with `rows` rows each, directly in the database, as a restored dump does: no trigger runs. */
export async function fillLists(databaseUrl: string, rows: number, lists: readonly LongList[]): Promise<LongLists> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const tenantId = randomUUID();
  try {
    await client.query("SET session_replication_role = replica");
    await client.query("SET synchronous_commit = off");
    await client.query(KEY_FUNCTION);
    for (const list of lists) {
      const again = rows >= MANY_ROWS ? await dropIndexes(client, list) : [];
      await client.query(fill(list, tenantId, rows));
      for (const index of again) await client.query(index);
    }
    return { tenantId, rows, keys: await addKeys(client, tenantId) };
  } finally {
    await client.end();
  }
}

/** @returns the statements that make them again */
async function dropIndexes(client: pg.Client, list: LongList): Promise<string[]> {
  await client.query("SET maintenance_work_mem = '512MB'");
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
      WHERE i.indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
    [list],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}

function fill(list: LongList, tenantId: string, rows: number): string {
  const [columns, values] = CONTENTS[list];
  return `INSERT INTO ${list} (${columns}) SELECT ${values} FROM (
    SELECT n, bench_key(t, n) AS id, t, timestamptz '2026-01-01' + n * interval '10 milliseconds' AS at
    FROM generate_series(1, ${rows}) n, CAST('${tenantId}' AS uuid) t) r`;
}

/** Brings the statistics and the visibility map to the state that autovacuum maintains. */
export async function vacuum(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("VACUUM ANALYZE").finally(() => client.end());
}

const KEYS = 64;

async function addKeys(client: pg.Client, tenantId: string): Promise<string[]> {
  const userId = randomUUID();
  await client.query("INSERT INTO tenants VALUES ($1, $2, 'Long', now())", [tenantId, tenantId.slice(0, 8)]);
  await client.query(
    `INSERT INTO users (id, tenant_id, email, role, password_hash, created_at)
     VALUES ($1, $2, $3, 'admin', '', now())`,
    [userId, tenantId, `${userId}@bench.example`],
  );
  const keys = Array.from({ length: KEYS }, () => makeKey(randomIds));
  for (const { id, secretHash } of keys) {
    await client.query(
      `INSERT INTO api_keys (id, tenant_id, user_id, name, secret_hash, scopes, created_at)
       VALUES ($1, $2, $3, 'bench', decode($4, 'hex'), $5, now())`,
      [id, tenantId, userId, secretHash, SCOPES.filter((scope) => scope.endsWith(":read"))],
    );
  }
  return keys.map(({ text }) => text);
}
