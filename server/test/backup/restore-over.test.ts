/**
 * A restore while the later state can be read, with `muster restore --replace`, or pg_restore and `muster
 * reapply-revocations`: what has ended in the later state stays ended, and everything else works.
 */
import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createDoctor } from "../../src/doctor/doctor.ts";
import { fillFolder, onPostgres } from "../harness/database/database.ts";
import { newTenant } from "../harness/devices.ts";
import type { TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";
import { earlierState } from "./earlier-state.ts";
import { type Endings, factorEndings, holderEndings, signsIn, userEndings } from "./endings.ts";

const NONE = { users: 0, apiKeys: 0, mqttClients: 0, claims: 0, certificates: 0 };

function carriesOver(make: (server: TestServer) => Promise<Endings>) {
  return async (t: TestContext): Promise<void> => {
    const { dataDir, start, stop, backUp, bringBack, reapply } = await earlierState(t);
    const server = await start();
    const { changed, end, verify } = await make(server);
    await backUp(server);
    await end();
    await stop(server);

    const done = await bringBack();
    assert.equal(done.code, 0, done.stderr);
    const { carried, devicesToEnroll, replaced } = JSON.parse(done.stdout);
    assert.deepEqual(carried, { ...NONE, ...changed });
    assert.equal(devicesToEnroll, 0);
    if (onPostgres) {
      const again = JSON.parse((await reapply()).stdout);
      assert.deepEqual([again.carried, again.ended], [NONE, { sessions: 0, links: 0 }], "repeated");
    } else {
      assert.equal((await readdir(dataDir)).filter((name) => name.startsWith("postgres")).length, 2);
      assert.match(replaced, /postgres\.replaced-\d{8}T\d+Z$/);
    }

    const restored = await start();
    await verify(restored);
    const { checks } = await createDoctor({ ...restored.app, clock: restored.clock }).examine({ deep: true });
    assert.deepEqual(
      // The codes of the second factors have taken minutes of the test's clock, without a heartbeat.
      checks.filter((check) => !check.ok && check.level === "must" && !/heartbeat/.test(check.name)),
      [],
    );
  };
}

test("users who were deleted, deactivated, demoted or given another password since stay so", carriesOver(userEndings));
test("second factors and recovery codes are those of the later state", carriesOver(factorEndings));
test("keys, MQTT clients, certificates and claims that have ended since stay ended", carriesOver(holderEndings));

/** A folder with a database of its own, a backup of the former one, and a user who was deleted after that. */
async function withoutLaterState(t: TestContext) {
  const state = await earlierState(t);
  const server = await state.start();
  const tenant = await newTenant(server);
  const user = await signIn(server, tenant);
  await state.backUp(server);
  await server.app.access.deleteUser(tenant.caller, user.email);
  return { ...state, server, tenant, user };
}

async function statesInVain(t: TestContext): Promise<void> {
  const { restore, start, stop, server, user } = await withoutLaterState(t);
  const inUse = await restore("--replace");
  assert.match(inUse.stderr, /another muster process is using the data folder/);
  await stop(server);
  const { code, stderr } = await restore("--replace", "--nothing-revoked-since");
  assert.equal(code, 0, stderr);
  assert.equal(await signsIn(await start(), user), false, "the deleted user stays deleted, whatever is stated");
}

async function wantsStatement(t: TestContext): Promise<void> {
  const { dataDir, restore, start, stop, server, tenant, user } = await withoutLaterState(t);
  await stop(server);
  const refused = /it is not known what has ended since the backup\. State --revoke-all or --nothing-revoked-since/;
  await rm(join(dataDir, "postgres"), { recursive: true });
  assert.match((await restore("--replace")).stderr, refused);
  // A new database in the folder knows nothing of the former one.
  await fillFolder(dataDir);
  const unrelated = await restore("--replace");
  assert.equal(unrelated.code, 1);
  assert.match(unrelated.stderr, /is not a later state of this backup, so it is not known/);
  await rm(join(dataDir, "postgres", "global"), { recursive: true });
  const unreadable = await restore("--replace");
  assert.equal(unreadable.code, 1);
  assert.match(unreadable.stderr, refused);
  const done = await restore("--replace", "--revoke-all");
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, new RegExp(`npx muster user reset-password ${tenant.admin.email}`));
  assert.match(done.stdout, /Devices that enrolled or renewed after the backup must enroll again/);
  assert.equal(await signsIn(await start(), user), false);
}

if (!onPostgres) {
  test("a restore over a later state keeps what has ended in it ended, whatever is stated", statesInVain);
  test("a restore over a database that cannot tell what has ended asks for a statement", wantsStatement);
}
