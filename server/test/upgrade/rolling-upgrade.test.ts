/**
 * This version, 1.0, and the next one on one database: beside each other on PostgreSQL, one after the other on the
 * embedded database.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { SCOPES } from "../../src/access/access.ts";
import { restore } from "../../src/backup/backup.ts";
import { SCHEMA_NUMBER } from "../../src/db/migrate.ts";
import { MINUTE, systemClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { fillFolder, onPostgres } from "../harness/database/database.ts";
import { nextMigrations } from "../harness/database/next-version.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { closed, connectMqtt, enrollDevice, newKey, newTenant, redeem, redemption } from "../harness/devices.ts";
import { musterProcess } from "../harness/processes/command-line.ts";
import { type ServerProcess, startProcess } from "../harness/processes/process.ts";
import { startServer, TEST_MASTER_KEY, type TestServer } from "../harness/server.ts";
import { useEverything } from "../harness/use-everything.ts";
import { plantNextVersion } from "./next-service.ts";

const NEXT_SCHEMA = nextMigrations.length;

let folder: string;
let next: Awaited<ReturnType<typeof plantNextVersion>>;
let left: Awaited<ReturnType<typeof leaveFolder>>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-rolling-"));
  next = await plantNextVersion();
  if (!onPostgres) left = await leaveFolder();
});
after(async () => {
  await next.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the next version on a data folder, or on a PostgreSQL database. */
async function startNext(t: TestContext, dataDir: string, databaseUrl?: string): Promise<ServerProcess> {
  const env = { MUSTER_MASTER_KEY: TEST_MASTER_KEY };
  const process = await startProcess(dataDir, databaseUrl, { launcher: next.launcher, env });
  t.after(() => process.end("SIGKILL"));
  return process;
}

async function assertHealthy({ command }: ServerProcess): Promise<void> {
  const { checks } = await command("doctor", { deep: true });
  const broken = checks.filter((check: { ok: boolean; level: string }) => !check.ok && check.level === "must");
  assert.deepEqual(broken, []);
}

const latestOf = async ({ command }: ServerProcess, id: string) =>
  (await command("device.latest", { tenant: "acme", id })).items.map(({ value }: { value: unknown }) => value);

/** Both versions serve, and each closes, reads and lists what the other has. */
async function runBeside(t: TestContext): Promise<void> {
  const server = await startServer();
  t.after(server.stop);
  const tenant = await newTenant(server, "acme");
  const key = await newKey(server, tenant, ...SCOPES);
  await useEverything(server, tenant, key);
  const device = await enrollDevice(server, tenant);
  const connected = await connectMqtt(server, device);
  const later = await startNext(t, join(folder, "beside"), server.databaseUrl);
  const query = <Row>(text: string) => runSql<Row>(server.app.database.db, text, []);

  await server.app.connections.beatNow();
  const { items: nodes } = await later.command("node.list", {});
  assert.deepEqual(nodes.map(({ version }: { version: string }) => version).sort(), [manifest.version, "99.0.0"]);
  const known = await query<{ n: number }>("SELECT schema_number AS n FROM broker_nodes ORDER BY 1");
  assert.deepEqual(known, [{ n: SCHEMA_NUMBER }, { n: NEXT_SCHEMA }]);
  // The clock of this version's server has advanced beyond the next version's.
  const before = { ts: server.clock.now().getTime() - MINUTE, values: { temperature: 1 } };
  await connected.publishAsync(device.topic, JSON.stringify(before), { qos: 1 });
  assert.deepEqual(await latestOf(later, device.deviceId), [1]);
  await useEverything(server, tenant, key);
  const unknown = "SELECT FROM devices d WHERE NOT EXISTS (SELECT FROM planted_notes n WHERE n.device_uid = d.uid)";
  const planted = await query<{ n: number }>("SELECT count(*)::int AS n FROM planted_notes");
  assert.ok(planted[0]!.n > 0 && (await query(unknown)).length > 0, "the trigger serves this version, too");

  const { claimCode } = await server.app.enrollment.createClaim(tenant.caller, { intendedName: "Pump" });
  const { body } = await redemption(claimCode);
  assert.equal((await redeem({ ...server, ...later } as TestServer, body)).status, 200);
  const moved = await connectMqtt(later, device);
  await closed(connected);
  await moved.publishAsync(device.topic, JSON.stringify({ temperature: 2 }), { qos: 1 });
  const caller = tenant.caller;
  const [latest] = await server.app.telemetry.listLatest(caller, device.deviceId);
  assert.equal(latest?.value, 2);
  await server.app.enrollment.revokeDeviceCertificates(caller, device.deviceId);
  await closed(moved);
  await assertHealthy(later);
  await assert.rejects(startServer({ share: server }), /run the newer version/);
}

const WITHOUT_SYNC = { MUSTER_EMBEDDED_SYNC: "off" };

/** A data folder of this version with one device, which is not connected, and a backup of it. */
async function leaveFolder() {
  const [dataDir, file] = [join(folder, "left"), join(folder, "left.backup")];
  await fillFolder(dataDir);
  const server = await startServer({ dataDir, env: WITHOUT_SYNC });
  const device = await enrollDevice(server, await newTenant(server, "acme"));
  await server.app.backup.writeTo(file);
  await server.stop();
  return { dataDir, file, device };
}

/** The next version takes over the folder, which this one refuses from then on, and so it does a backup. */
async function takeOver(t: TestContext): Promise<void> {
  const { dataDir, device } = left;
  const later = await startNext(t, dataDir);
  await assertPublishes(later, device, 3);
  await assertHealthy(later);
  const file = join(folder, "next.backup");
  await later.command("backup", { file });
  assert.equal(await later.end("SIGTERM"), 0);
  await assert.rejects(startServer({ dataDir, env: WITHOUT_SYNC }), /run the newer version/);
  const deps = { dataDir: join(folder, "refused"), clock: systemClock, ids: randomIds, logger: createLogger("silent") };
  const refused = /is a backup of Muster 99\.0\.0 with schema \d+, and this version knows only \d+/;
  await assert.rejects(restore(deps, file, { mode: "nothing-revoked-since" }), refused);
}

async function restoreWithNext(t: TestContext): Promise<void> {
  const { file, device } = left;
  const dataDir = join(folder, "restored");
  const args = ["restore", file, "--nothing-revoked-since"];
  const ran = await musterProcess(args, dataDir, {}, undefined, next.launcher);
  assert.equal(ran.code, 0, ran.stderr);
  const later = await startNext(t, dataDir);
  await assertPublishes(later, device, 4);
  await assertHealthy(later);
  assert.equal(await later.end("SIGTERM"), 0);
}

async function assertPublishes(
  process: ServerProcess,
  device: Awaited<ReturnType<typeof enrollDevice>>,
  temperature: number,
): Promise<void> {
  const client = await connectMqtt(process, device);
  await client.publishAsync(device.topic, JSON.stringify({ temperature }), { qos: 1 });
  await client.endAsync();
  assert.deepEqual(await latestOf(process, device.deviceId), [temperature]);
}

if (onPostgres) test("1.0 and the next version serve one database, and each knows what the other does", runBeside);
else {
  test("the next version takes over a data folder of 1.0, which takes neither that nor its backup back", takeOver);
  test("the next version restores a backup of 1.0", restoreWithNext);
}
