/** A disk that fails under the embedded database: nothing more is acknowledged, and acknowledged data is kept. */
import assert from "node:assert/strict";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { onEngine } from "../../../src/db/embedded/embedded.ts";
import { engineOn } from "../../../src/db/embedded/engine.ts";
import { type NodeFsModule, SyncedFolder } from "../../../src/db/embedded/synced-folder.ts";
import { fillFolder, onPostgres } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { migratedSnapshot } from "../../harness/database/snapshots.ts";
import { connectMqtt, enrollDevice, newKey, newTenant } from "../../harness/devices.ts";
import { addTenant, createRegistry, enroll } from "../../harness/enrollment.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { https } from "../../harness/http/https.ts";
import { startServer } from "../../harness/server.ts";

/** A disk whose fsync fails while `isFailing`: the system call gets an invalid descriptor. */
class FailingFolder extends SyncedFolder {
  isFailing = false;

  protected override install(module: NodeFsModule): void {
    super.install(module);
    const { stream_ops: operations } = module.NODEFS;
    const fsync = operations.fsync!;
    operations.fsync = (file) => fsync(this.isFailing ? { ...file, nfd: -1 } : file);
  }
}

async function failedSync(t: TestContext): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "muster-failing-"));
  t.after(() => rm(folder, { recursive: true }));
  const disk = new FailingFolder(folder);
  const database = onEngine(await engineOn(disk, await migratedSnapshot(), true));
  const registry = createRegistry({ database, clock: new FakeClock() });
  const tenant = await addTenant(registry);
  const before = await enroll(registry, tenant);
  disk.isFailing = true;
  await assert.rejects(enroll(registry, tenant));
  disk.isFailing = false;
  await assert.rejects(enroll(registry, tenant), "the disk answers again, but what it has is unknown");
  assert.equal(await database.healthy(), false);
  await database.close().catch(() => undefined);

  const reopened = onEngine(await engineOn(new SyncedFolder(folder), undefined, true));
  const again = createRegistry({ database: reopened, clock: new FakeClock() });
  assert.equal((await again.certificates.identifyDevice(before.peer)).ok, true);
  assert.ok((await enroll(again, tenant)).answer.deviceId);
  await reopened.close();
}

async function endedThread(t: TestContext): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "muster-failing-"));
  t.after(() => rm(dataDir, { recursive: true }));
  await fillFolder(dataDir);
  const server = await startServer({ dataDir });
  const tenant = await newTenant(server);
  const [device, other] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
  const headers = { "x-api-key": await newKey(server, tenant, "devices:read") };
  const session = await connectMqtt(server, device);
  await session.publishAsync(device.topic, '{"a":1}', { qos: 1 });

  const [log, away] = [join(dataDir, "postgres/pg_wal"), join(dataDir, "away")];
  await rename(log, away);
  // The next file of the log cannot be created, so PostgreSQL aborts.
  const write = async () => {
    await runSql(server.app.database.db, "SELECT pg_switch_wal()");
    await runSql(server.app.database.db, "CREATE TABLE lost (n integer)");
  };
  await assert.rejects(write(), /Connection terminated/);
  const get = (path: string) => https(`${server.httpUrl}${path}`, { ca: server.ca, headers });
  const refused = await get("/api/v1/devices");
  assert.deepEqual([refused.status, refused.json.error], [503, "catalog_unavailable"]);
  const ready = await get("/readyz");
  assert.deepEqual([ready.status, ready.json.database], [503, false]);
  assert.equal((await get("/healthz")).status, 200);
  await assert.rejects(connectMqtt(server, other), /Server unavailable/);
  assert.equal(session.connected, true);
  const said = server.logs.filter((line) => line.includes("the embedded database has failed"));
  assert.equal(said.length, 1);
  session.end(true);
  await server.stop();

  await rename(away, log);
  const again = await startServer({ dataDir });
  const latest = await again.app.telemetry.listLatest(tenant.caller, device.deviceId);
  assert.deepEqual(
    latest.map(({ metric, value }) => [metric, value]),
    [["a", 1]],
  );
  await (await connectMqtt(again, other)).endAsync();
  await again.stop();
}

// PostgreSQL is a separate process, which restart-database.test.ts stops.
if (!onPostgres) {
  test("when fsync fails, nothing more is acknowledged, even if it would succeed again", failedSync);
  test(
    "when the thread of the database ends, the service answers 503, reports it, and has all data at its next start",
    endedThread,
  );
}
