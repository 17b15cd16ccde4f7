import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import type { Database, Db } from "../../src/db/database.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { migratedSnapshot } from "../harness/database/snapshots.ts";
import {
  ADDRESS,
  addTenant,
  createRegistry,
  csrOf,
  enroll,
  type Registry,
  type Tenant,
} from "../harness/enrollment.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { openRecorded, openSurvivors, type RecordedDatabase } from "./power-cut/journal.ts";
import { seededRandom } from "./power-cut/seeded-random.ts";
import { SimulatedDisk } from "./power-cut/simulated-disk.ts";

/**
 * The number of power cuts. A dedicated run has more:
 * `MUSTER_TEST_POWER_CUTS=200 npm test -- server/test/crash/power-cut.test.ts`.
 */
const CUTS = Number(process.env.MUSTER_TEST_POWER_CUTS ?? 4);
const SEED = Number(process.env.MUSTER_TEST_POWER_CUT_SEED ?? 1);
const ROUNDS = 30;

/** An acknowledged write, and its time. */
interface Acknowledged {
  /** The number of calls that the file system had received. */
  readonly at: number;
  readonly what: string;
  /** Whether a database that was opened after a cut has the write. */
  isIn(db: Db): Promise<boolean>;
}

let database: RecordedDatabase;
let clock: FakeClock;
let registry: Registry;
let tenant: Tenant;
const acknowledged: Acknowledged[] = [];

before(async () => {
  database = await openRecorded(await migratedSnapshot());
  clock = new FakeClock();
  registry = createRegistry({ database, clock });
  await registry.telemetry.maintainPartitions();
  tenant = await addTenant(registry);
  await useService();
});
after(() => database.close());

function acknowledge(what: string, isIn: Acknowledged["isIn"]): void {
  acknowledged.push({ at: database.calls.length, what, isIn });
}

async function exists(db: Db, statement: string, values: unknown[]): Promise<boolean> {
  return (await runSql(db, statement, values)).length > 0;
}

/**
 * Runs enrollments, renewals and telemetry, with checkpoints, VACUUM and the maintenance of the database in between.
 */
async function useService(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    clock.advance(MINUTE);
    await enrollAndRenew();
    await storeTelemetry(round);
    if (round % 5 === 4) await sql`CHECKPOINT`.execute(database.db);
    if (round % 7 === 6) await sql`VACUUM`.execute(database.db);
    if (round % 3 === 2) await database.maintain();
  }
}

async function enrollAndRenew(): Promise<void> {
  const { answer, peer } = await enroll(registry, tenant);
  acknowledge(`certificate of ${answer.deviceId}`, (db) => hasCertificate(db, answer.mqtt.clientCert));
  const renewed = await registry.enrollment.renewCertificate({ address: ADDRESS, peer }, { csr: csrOf() });
  acknowledge(`renewal of ${answer.deviceId}`, (db) => hasCertificate(db, renewed.clientCert));
}

function hasCertificate(db: Db, pem: string): Promise<boolean> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  return exists(db, "SELECT FROM certificates WHERE der = $1", [der]);
}

async function storeTelemetry(round: number): Promise<void> {
  const { tenantId } = tenant.caller;
  const [device] = await runSql<{ uid: string; id: string }>(
    database.db,
    "SELECT uid, id FROM devices WHERE tenant_id = $1 ORDER BY uid DESC LIMIT 1",
    [tenantId],
  );
  const { uid: deviceUid, id: deviceId } = device!;
  const values = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`metric-${n}`, round + n / 100]));
  const topic = `t/${tenant.slug}/telemetry/${deviceId}`;
  await registry.telemetry.ingest({
    tenantId,
    deviceUid,
    deviceId,
    topic,
    payload: Buffer.from(JSON.stringify(values)),
  });
  acknowledge(`message of round ${round}`, async (db) => {
    const read = "SELECT FROM shared_readings WHERE device_uid = $1 AND metric = $2 AND number = $3";
    const latest = "SELECT FROM shared_latest_values WHERE device_uid = $1 AND metric = $2 AND number = $3";
    const reading = [deviceUid, "metric-39", round + 0.39];
    return (await exists(db, read, reading)) && (await exists(db, latest, reading));
  });
}

/** Asserts that everything acknowledged by the time of the cut exists, and that `doctor --deep` finds nothing wrong. */
async function assertWhole(survivor: Database, cutAt: number): Promise<void> {
  for (const { at, what, isIn } of acknowledged) {
    if (at <= cutAt) assert.ok(await isIn(survivor.db), `lost: ${what}`);
  }
  await checkPages(survivor.db);
  const { doctor } = createRegistry({ database: survivor, clock });
  const report = await doctor.examine({ deep: true });
  const broken = report.checks.filter(({ ok, level }) => !ok && level === "must");
  assert.deepEqual(
    broken.filter(({ name }) => !NEEDS_SERVICE.test(name)),
    [],
  );
}

/** Checks of the doctor that need a running service. */
const NEEDS_SERVICE = /certificate authority|broker node/;

/**
 * Verifies all pages and indexes: pages have checksums, so reading a torn one fails, and amcheck compares rows with
 * indexes.
 */
async function checkPages(db: Db): Promise<void> {
  await runSql(db, "CREATE EXTENSION amcheck");
  await runSql(
    db,
    `SELECT bt_index_check(indexrelid, true) FROM pg_index JOIN pg_class c ON c.oid = indexrelid
    JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'btree' AND c.relkind = 'i' AND indisvalid`,
  );
  const corrupt = await runSql(
    db,
    `SELECT c.oid::regclass::text, v.* FROM pg_class c CROSS JOIN LATERAL verify_heapam(c.oid) v
    WHERE c.relkind IN ('r', 't')`,
  );
  assert.deepEqual(corrupt, []);
}

test("acknowledged data survives a power cut at any moment, and the database is intact", async (t) => {
  assert.ok(acknowledged.length === 3 * ROUNDS);
  const random = seededRandom(SEED);
  const first = acknowledged[0]!.at;
  const spread = database.calls.length - first;
  const cuts = Array.from({ length: CUTS }, () => first + Math.floor(random() * (spread + 1))).sort((a, b) => a - b);
  const disk = new SimulatedDisk();
  let applied = 0;
  for (const cutAt of cuts) {
    for (; applied < cutAt; applied++) disk.apply(database.calls[applied]!);
    const survivor = await openSurvivors(disk.cut(random));
    try {
      await assertWhole(survivor, cutAt);
    } finally {
      await survivor.close();
    }
  }
  t.diagnostic(`${CUTS} cuts within ${spread} calls, seed ${SEED}`);
});

test("a disk that is never synced loses writes: the simulation would detect a missing fsync", async () => {
  const disk = new SimulatedDisk();
  const first = acknowledged[0]!.at;
  for (const [index, call] of database.calls.entries()) if (index < first || call.op !== "sync") disk.apply(call);
  const lostOrBroken = await openSurvivors(disk.cut(() => 0)).then(
    async (survivor) => {
      const last = acknowledged.at(-1)!;
      return !(await last.isIn(survivor.db).finally(() => survivor.close()));
    },
    () => true,
  );
  assert.ok(lostOrBroken);
});
