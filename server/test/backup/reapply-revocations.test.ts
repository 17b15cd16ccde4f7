/**
 * `muster reapply-revocations` after a recovery of PostgreSQL: its refusals and output. restore-over.test.ts covers the
 * credentials that it ends.
 */
import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { onPostgres, testDatabase } from "../harness/database/database.ts";
import { ask } from "../harness/database/postgres.ts";
import { connectMqtt, enrollDevice, newTenant, renew } from "../harness/devices.ts";
import { musterProcess } from "../harness/processes/command-line.ts";
import { startServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";
import { earlierState } from "./earlier-state.ts";
import { signsIn } from "./endings.ts";

/** A service, backed up before a user was deleted, and recovered beside its database. */
async function recovered(t: TestContext) {
  const state = await earlierState(t);
  const server = await state.start();
  const tenant = await newTenant(server);
  const user = await signIn(server, tenant);
  await state.backUp(server);
  // Ids of audit entries are ordered by time, to the millisecond.
  server.clock.advance(1_000);
  await server.app.access.deleteUser(tenant.caller, user.email);
  await state.stop(server);
  await state.recover();
  return { ...state, tenant, user };
}

/** Returns everything that the command could change. */
async function contentOf(url: string) {
  const counted = ["admin_audit", "user_sessions", "broker_nodes"].map((table) => `(SELECT count(*) FROM ${table})`);
  return await ask(
    url,
    `SELECT ${counted.join(" || ' ' || ")} || ' ' || (SELECT count(deleted_at) FROM users) AS content`,
  );
}

async function refusesOthers(t: TestContext): Promise<void> {
  const { reapply, urls, tenant, user, start, stop } = await recovered(t);
  const before = await contentOf(urls().recovered);
  const refused = async (former: string, why: RegExp) => {
    const { code, stdout, stderr } = await reapply({ MUSTER_FORMER_DATABASE_URL: former });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, why);
    assert.deepEqual(await contentOf(urls().recovered), before);
  };
  const other = await startServer();
  t.after(other.stop);
  const another = await testDatabase();
  t.after(another.remove);
  const unreachable = Object.assign(new URL(urls().former), { hostname: "127.0.0.1", port: "1", password: "s3cret" });
  await refused(other.databaseUrl!, /a service uses the former database: stop every service on it/);
  await refused(another.url!, /the former database is not a later state of the recovered one.*Nothing was changed/);
  await refused(unreachable.href, /MUSTER_FORMER_DATABASE_URL \(postgres.*\) cannot be used: connect ECONNREFUSED/);
  await refused(urls().recovered, /the former database is the one in MUSTER_DATABASE_URL/);
  await ask(another.url!, "INSERT INTO schema_migrations VALUES (9999, 'tomorrow')");
  await refused(another.url!, /is at schema \d+, and this version reads schema \d+/);
  const swapped = { MUSTER_DATABASE_URL: urls().former, MUSTER_FORMER_DATABASE_URL: urls().recovered };
  assert.match((await reapply(swapped)).stderr, /is not a later state/, "an older one");

  const server = await start();
  const inUse = await reapply();
  assert.match(inUse.stderr, /a service uses the recovered database: stop every service on it/);
  assert.ok(await signsIn(server, user), "the recovery alone revives the user");
  server.clock.advance(1_000);
  await server.app.access.changeUser(tenant.caller, user.userId, { role: "operator" });
  await stop(server);
  assert.match((await reapply()).stderr, /is not a later state.*or a service has changed the recovered one since/);
}

async function readsAddressFile(t: TestContext): Promise<void> {
  const { dataDir, reapply, urls, start, user } = await recovered(t);
  const file = join(dataDir, "..", "former");
  await writeFile(file, `${urls().former}\n`, { mode: 0o644 });
  const withFile = () => reapply({ MUSTER_FORMER_DATABASE_URL: "" }, "--former-database-url-file", file);
  assert.match((await withFile()).stderr, /can be read by other users of this machine\. Run chmod 600/);
  await chmod(file, 0o600);
  await writeFile(file, "a password");
  assert.match((await withFile()).stderr, /must contain an address like postgres:/);
  await writeFile(file, urls().former);
  const done = await withFile();
  assert.equal(done.code, 0, done.stderr);
  const server = await start();
  assert.equal(await signsIn(server, user), false);
  const [act] = await server.app.access.listInstallationActs({ skip: 0, limit: 1 });
  assert.deepEqual(
    [act!.act, act!.actor, (act!.after as { users: number }).users],
    ["access.reapply-revocations", "system", 1],
  );
}

async function countsRenewed(t: TestContext): Promise<void> {
  const { start, stop, backUp, recover, reapply } = await earlierState(t);
  const server = await start();
  const tenant = await newTenant(server);
  const [renewed, unchanged] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
  await backUp(server);
  const { answer, key } = await renew(server, renewed);
  assert.equal(answer.status, 200, answer.text);
  await enrollDevice(server, tenant);
  await stop(server);
  await recover();
  const done = await reapply();
  assert.equal(JSON.parse(done.stdout).devicesToEnroll, 2, done.stderr);
  const restored = await start();
  const present = { ...renewed, key, fullchain: answer.json.fullchain };
  await assert.rejects(connectMqtt(restored, present));
  const client = await connectMqtt(restored, unchanged);
  await client.endAsync(true);
}

async function refusesEmbedded(t: TestContext): Promise<void> {
  const { dataDir } = await earlierState(t);
  const { code, stderr } = await musterProcess(["reapply-revocations"], dataDir);
  assert.equal(code, 1);
  assert.match(stderr, /MUSTER_DATABASE_URL is not set: for the embedded database use muster restore <file> --replace/);
}

if (onPostgres) {
  test(
    "a former database that is not a later state, or cannot be read, is refused, and nothing changes",
    refusesOthers,
  );
  test("the address of the former database is read from a private file", readsAddressFile);
  test("devices that enrolled or renewed since are counted, and are refused until they enroll again", countsRenewed);
} else {
  test("on the embedded database the command names the equivalent one", refusesEmbedded);
}
