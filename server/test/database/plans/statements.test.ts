import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { declaredStatements } from "../../../src/db/statement.ts";
import type { Db } from "../../../src/db/types.ts";
import { randomIds } from "../../../src/lib/ids.ts";
import { DEFAULT_POOLS } from "../../../src/lib/limits/pools.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { ADDRESS, addTenant, csrOf, enroll, startRegistry, type Tenant } from "../../harness/enrollment.ts";
import { wholeReads } from "./reads.ts";

/** Tables whose size depends on neither devices nor messages nor requests. */
const BOUNDED = ["authorities", "broker_nodes", "events_horizon", "request_clock", "schema_migrations", "settings"];
/** Statements that read a whole table on purpose. */
const WHOLE_TABLE: Readonly<Record<string, string>> = {
  "prune-windows": "compares the newest time in the array of each key's window, now and then",
};
/** Statements that read a whole index of devices on purpose. */
const WHOLE_INDEX: Readonly<Record<string, string>> = {
  "record-online": "reads the index of devices with an event to be recorded, and no other device is in it",
};

/**
 * Enough for every connection of the pool to keep its own plans: PostgreSQL decides on a generic plan in the sixth run.
 */
const FIRST_DEVICES = 30;
const MEASURED_DEVICES = 10;
const MORE_DEVICES = 2000;
/** The tables that {@link MORE} fills. */
const GROWN = /^(devices|claims|client_ids|certificates|certificate_audit|mqtt_sessions|device_latest)(_|$)/;

let registry: Awaited<ReturnType<typeof startRegistry>>;
let tenant: Tenant;
before(async () => {
  registry = await startRegistry();
  tenant = await addTenant(registry);
  await registry.telemetry.maintainPartitions();
  await registry.connections.startNode();
});
after(async () => {
  await registry.connections.stopNode();
  await registry.stop();
});

const query = <Row>(text: string, parameters: unknown[] = []) => runSql<Row>(registry.database.db, text, parameters);

/** Runs the life of a device: it redeems a claim, renews, connects, publishes and disconnects. */
async function useOneDevice(): Promise<void> {
  const { answer, peer } = await enroll(registry, tenant);
  await registry.enrollment.renewCertificate({ address: ADDRESS, peer }, { csr: csrOf() });
  const device = await registry.certificates.identifyDevice(peer);
  assert.ok(!device.ok, "the renewal has replaced the certificate");
  const [{ uid } = { uid: "" }] = await query<{ uid: string }>(
    "SELECT uid FROM devices WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL",
    [tenant.caller.tenantId, answer.deviceId],
  );
  await registry.devices.getDevice(tenant.caller, answer.deviceId);
  const sessionId = randomIds.uuid(registry.clock.now());
  await registry.connections.openSession({
    sessionId,
    clientId: answer.deviceId,
    tenantId: tenant.caller.tenantId,
    deviceUid: uid,
    certificateId: null,
    mqttClientId: null,
    remoteAddress: ADDRESS,
  });
  await registry.telemetry.ingest({
    tenantId: tenant.caller.tenantId,
    deviceUid: uid,
    deviceId: answer.deviceId,
    topic: answer.mqtt.publishTopics[0]!,
    payload: Buffer.from('{"temperature": 21.5}'),
  });
  registry.connections.closeSession(sessionId, "closed");
  await registry.connections.flush();
}

/**
 * Makes every connection of both pools report its counts. Each is occupied until all have reported, so that none is
 * left out.
 */
async function reportCounts(): Promise<void> {
  const { db, connects } = registry.database;
  const pools = onPostgres ? [...repeat(db, DEFAULT_POOLS.main), ...repeat(connects, DEFAULT_POOLS.connects)] : [db];
  const { promise: allReported, resolve } = Promise.withResolvers<void>();
  let reported = 0;
  const report = async (connection: Db) => {
    await runSql(connection, "SELECT pg_stat_force_next_flush()");
    if (++reported === pools.length) resolve();
    await allReported;
  };
  await Promise.all(pools.map((pool) => pool.connection().execute(report)));
}

const repeat = <T>(value: T, times: number): T[] => Array.from({ length: times }, () => value);

/** Returns the rows that scans have visited so far, of tables and of indexes. */
async function rowsVisited(): Promise<Map<string, number>> {
  await reportCounts();
  const counted = await query<{ name: string; rows: string }>(
    `SELECT relname AS name, seq_tup_read AS rows FROM pg_stat_user_tables
      UNION ALL SELECT relname || '.' || indexrelname, idx_tup_read FROM pg_stat_user_indexes
      UNION ALL SELECT relname || ' by an index', coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables`,
  );
  return new Map(counted.map(({ name, rows }) => [name, Number(rows)]));
}

/** Returns the rows that one device visits: the total, and the tables with most of them. */
async function rowsVisitedByDevice(): Promise<{ rows: number; most: string }> {
  const before = await rowsVisited();
  for (let n = 0; n < MEASURED_DEVICES; n++) await useOneDevice();
  const visited = [...(await rowsVisited())]
    .map(([name, rows]) => ({ name, rows: (rows - (before.get(name) ?? 0)) / MEASURED_DEVICES }))
    .sort((a, b) => b.rows - a.rows);
  const most = visited.slice(0, 5).map(({ name, rows }) => `${rows} of ${name}`);
  return { rows: visited.reduce((sum, { rows }) => sum + rows, 0), most: most.join(", ") };
}

/** Inserts devices with all their records. */
const MORE = [
  `INSERT INTO devices (uid, tenant_id, id, name, device_type_id, fingerprint_key, connectivity, created_at, updated_at)
   SELECT gen_random_uuid(), $1, 'more-' || n, 'More', $2, 'more-' || n, 'online', now(), now()
     FROM generate_series(1, ${MORE_DEVICES}) n`,
  `INSERT INTO claims (id, tenant_id, code_hmac, code_hint, intended_name, intended_device_type_id, max_uses, used_count,
                       status, expires_at, created_at, created_by)
   SELECT gen_random_uuid(), $1, d.id::bytea, 'XXXX', 'More', $2, 1, 1, 'used', now() + interval '1 day', now(), 'system'
     FROM devices d WHERE d.id LIKE 'more-%'`,
  `INSERT INTO client_ids (client_id, tenant_id, holder, live_until)
   SELECT d.id, $1, 'device', now() + interval '30 days' FROM devices d WHERE d.id LIKE 'more-%' AND $2::uuid IS NOT NULL`,
  `INSERT INTO certificates (id, tenant_id, device_uid, device_id, kind, serial_number, fingerprint_sha256, spki_sha256, der,
     subject, publish_topics, subscribe_topics, issued_at, not_before, not_after, renew_after, issued_by)
   SELECT gen_random_uuid(), $1, d.uid, d.id, 'self_enrolled', d.id, d.id, d.id::bytea, '', '', '{}', '{}', now(), now(),
          now() + interval '30 days', now() + interval '21 days', 'system'
     FROM devices d WHERE d.id LIKE 'more-%' AND $2::uuid IS NOT NULL`,
  `INSERT INTO certificate_audit (id, tenant_id, kind, at, actor, device_id, certificate_id, serial_number, fingerprint_sha256)
   SELECT gen_random_uuid(), $1, 'device_cert_enrolled', now(), 'system', c.device_id, c.id, c.serial_number, c.fingerprint_sha256
     FROM certificates c WHERE c.device_id LIKE 'more-%' AND $2::uuid IS NOT NULL`,
  `INSERT INTO mqtt_sessions (client_id, session_id, seq, node_id, tenant_id, device_uid, certificate_id, remote_address, connected_at)
   SELECT c.device_id, gen_random_uuid(), nextval('mqtt_session_seq'), (SELECT id FROM broker_nodes), $1, c.device_uid, c.id,
          '192.0.2.2', now() FROM certificates c WHERE c.device_id LIKE 'more-%' AND $2::uuid IS NOT NULL`,
  `INSERT INTO device_latest (device_uid, metrics, kinds, version, seen_at, ts, received_at, written, numbers)
   SELECT d.uid, '{temperature}', 'n', 1, now(), now(), now(), pg_current_xact_id(), '{1}'
     FROM devices d WHERE d.id LIKE 'more-%' AND d.tenant_id = $1 AND $2::uuid IS NOT NULL`,
];

test("on a fresh database, no declared statement is planned to read a whole growing table", async () => {
  const reads = (await wholeReads(registry.database.db)).filter(({ of }) => of === "table");
  const found = reads.filter(({ statement, name }) => !(statement in WHOLE_TABLE) && !BOUNDED.includes(name));
  assert.deepEqual(found, []);
  assert.ok(declaredStatements().size > 40);
  const gone = Object.keys({ ...WHOLE_TABLE, ...WHOLE_INDEX }).filter((name) => !declaredStatements().has(name));
  assert.deepEqual(gone, [], "exempt statements that are gone");
});

test("on a fresh database, a device visits as many rows as before after thousands of devices are added", async () => {
  for (let n = 0; n < FIRST_DEVICES; n++) await useOneDevice();
  await registry.database.maintain();
  const few = await rowsVisitedByDevice();
  for (const statement of MORE) await query(statement, [tenant.caller.tenantId, tenant.deviceTypeId]);
  await registry.database.maintain();
  const many = await rowsVisitedByDevice();
  assert.ok(few.rows > 10, `only ${few.rows} rows were counted`);
  assert.ok(
    many.rows <= few.rows * 1.25,
    `a device visits ${few.rows} rows at first (${few.most}), and ${many.rows} when there are ${MORE_DEVICES} more (${many.most})`,
  );
});

test("with thousands of devices, no declared statement is planned to read a whole index of devices", async () => {
  const reads = (await wholeReads(registry.database.db)).filter(({ name }) => GROWN.test(name));
  assert.deepEqual(
    reads.filter(({ statement }) => !(statement in WHOLE_INDEX) && !(statement in WHOLE_TABLE)),
    [],
  );
});
