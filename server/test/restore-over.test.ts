/** `muster restore --replace`: the database that is replaced says what has ended since the backup, and that stays ended. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { type CommandLine, startCommandLine } from "./harness/command-line.ts";
import { fillFolder, onPostgres } from "./harness/database.ts";
import { connectMqtt, enrollDevice, newKey, newTenant, redeem, redemption } from "./harness/devices.ts";
import { mqttClient } from "./harness/doors.ts";
import { FakeClock } from "./harness/fake-clock.ts";
import { https } from "./harness/https.ts";
import { turnOnFactor } from "./harness/second-factor.ts";
import { startServer, type TestServer } from "./harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "./harness/sign-in.ts";

let commandLine: CommandLine;
before(async () => {
  commandLine = await startCommandLine();
});
after(() => commandLine.stop());

const signsIn = async (at: TestServer, { email }: { email: string }, password = PASSWORD) =>
  (await newBrowser(at).call("POST", "/session", { body: { email, password } })).status === 200;

const connects = (connecting: ReturnType<typeof connectMqtt>) =>
  connecting.then(
    (client) => client.endAsync(true).then(() => true),
    () => false,
  );

/** A data folder whose service was backed up; starts and stops services on it. */
async function environment(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "muster-over-"));
  const dataDir = join(folder, "data");
  const file = join(folder, "one.backup");
  const running = new Set<TestServer>();
  t.after(async () => {
    for (const server of running) await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const clock = new FakeClock();
  async function start(): Promise<TestServer> {
    const server = await startServer({ dataDir, clock, env: { MUSTER_EMBEDDED_SYNC: "off" } });
    running.add(server);
    return server;
  }
  async function stop(server: TestServer) {
    running.delete(server);
    await server.stop();
  }
  const restore = (...flags: string[]) => commandLine.run(["restore", file, ...flags], dataDir);
  return { dataDir, file, start, stop, restore };
}

async function carriesOver(t: TestContext): Promise<void> {
  const { dataDir, file, start, stop, restore } = await environment(t);
  const server = await start();
  const tenant = await newTenant(server);
  const { access, connections, enrollment, identity, backup } = server.app;
  const { caller } = tenant;
  const people: SignedIn[] = [];
  for (let each = 0; each < 8; each++) people.push(await signIn(server, tenant));
  const [deleted, deactivated, demoted, changed, lost, replaced, used, unchanged] = people as [
    SignedIn,
    SignedIn,
    SignedIn,
    SignedIn,
    SignedIn,
    SignedIn,
    SignedIn,
    SignedIn,
  ];
  const former = [await turnOnFactor(server, replaced), await turnOnFactor(server, used)] as const;
  await turnOnFactor(server, lost);
  const [kept, revokedKey] = [
    await newKey(server, tenant, "devices:read"),
    await newKey(server, tenant, "devices:read"),
  ];
  const clients = [
    await mqttClient(server, tenant),
    await mqttClient(server, tenant),
    await mqttClient(server, tenant),
  ] as const;
  const untouched = await mqttClient(server, tenant);
  const devices = [
    await enrollDevice(server, tenant),
    await enrollDevice(server, tenant),
    await enrollDevice(server, tenant),
  ] as const;
  const claims = [
    await enrollment.createClaim(caller, { intendedName: "a" }),
    await enrollment.createClaim(caller, { intendedName: "b" }),
  ] as const;
  await backup.writeTo(file);

  await access.deleteUser(caller, deleted.email);
  await access.deactivateUser(caller, deactivated.email);
  await access.changeUser(caller, demoted.userId, { role: "viewer" });
  const { password: drawn } = await access.resetPassword(caller, changed.email);
  await identity.resetFactor(caller, lost.userId);
  const present = await turnOnFactor(server, replaced);
  const codeSpent = await newBrowserWithFactor(server, used, former[1].recoveryCodes[0]!);
  assert.equal(codeSpent, 200);
  const keys = await access.listKeys(caller, { skip: 0, limit: 10 });
  await access.revokeKey(caller, keys.items.find(({ id }) => revokedKey.includes(id))!.id);
  await connections.disableMqttClient(caller, clients[0].clientId);
  await connections.deleteMqttClient(caller, clients[1].clientId);
  const { password: rotated } = await connections.rotateMqttClientPassword(caller, clients[2].clientId);
  const certificates = await server.app.certificates.listCertificates(caller, { skip: 0, limit: 10 });
  const ofDevice = (deviceId: string) => certificates.items.find((each) => each.deviceId === deviceId)!.id;
  await enrollment.revokeCertificate(caller, ofDevice(devices[0].deviceId));
  await enrollment.blockKey({ certificateId: ofDevice(devices[1].deviceId) });
  await enrollment.revokeClaim(caller, claims[0].id);
  await stop(server);

  const done = await restore("--replace", "--json");
  assert.equal(done.code, 0, done.stderr);
  const { carried, replaced: aside, validCertificates } = JSON.parse(done.stdout);
  assert.deepEqual(carried, { users: 4, apiKeys: 1, mqttClients: 3, claims: 1, certificates: 2 });
  assert.equal(validCertificates, 1);
  assert.deepEqual((await readdir(dataDir)).filter((name) => name.startsWith("postgres")).length, 2);
  assert.match(aside, /postgres\.replaced-\d{8}T\d+Z$/);

  const restored = await start();
  for (const user of [deleted, deactivated, changed]) assert.equal(await signsIn(restored, user), false, user.email);
  assert.ok(await signsIn(restored, changed, drawn), "the present password signs in");
  assert.ok(await signsIn(restored, unchanged));
  const browser = newBrowser(restored);
  const session = await browser.call("POST", "/session", { body: { email: demoted.email, password: PASSWORD } });
  assert.equal(session.json.user.role, "viewer");
  for (const { cookie } of people) {
    const headers = { "sec-fetch-site": "same-origin", cookie };
    const answer = await https(`${restored.httpUrl}/api/admin/session`, { method: "GET", ca: restored.ca, headers });
    assert.equal(answer.status, 401);
  }
  assert.equal(await newBrowserWithFactor(restored, replaced, former[0].nextCode()), 401, "the superseded factor");
  assert.equal(await newBrowserWithFactor(restored, replaced, present.nextCode()), 200, "the present factor");
  assert.equal(await newBrowserWithFactor(restored, used, former[1].recoveryCodes[0]!), 401, "a used recovery code");
  assert.equal(await newBrowserWithFactor(restored, used, former[1].recoveryCodes[1]!), 200, "another one");
  const byKey = async (key: string) =>
    (await https(`${restored.httpUrl}/api/v1/devices`, { ca: restored.ca, headers: { "x-api-key": key } })).status;
  assert.deepEqual([await byKey(kept), await byKey(revokedKey)], [200, 401]);
  assert.deepEqual(
    [
      await connects(clients[0].connect(restored)),
      await connects(clients[1].connect(restored)),
      await connects(clients[2].connect(restored)),
    ],
    [false, false, false],
  );
  const login = { username: clients[2].clientId, password: rotated };
  const bare = { deviceId: clients[2].clientId, fullchain: "", key: "", ca: restored.ca };
  assert.ok(await connects(connectMqtt(restored, bare, login)), "the present password");
  assert.ok(await connects(untouched.connect(restored)));
  for (const [at, device] of devices.entries())
    assert.equal(await connects(connectMqtt(restored, device)), at === 2, `device ${at}`);
  const redeemed = async (code: string) => (await redeem(restored, (await redemption(code)).body)).status;
  assert.deepEqual([await redeemed(claims[0].claimCode), await redeemed(claims[1].claimCode)], [410, 200]);
  const { checks } = await restored.app.doctor.examine({ deep: true });
  assert.deepEqual(
    // The codes of the second factors have taken minutes of the test's clock, without a heartbeat.
    checks.filter((check) => !check.ok && check.level === "must" && !/heartbeat/.test(check.name)),
    [],
  );
}

/** Signs in with the password and a code. @returns the status of the second step */
async function newBrowserWithFactor(at: TestServer, { email }: SignedIn, code: string): Promise<number> {
  const browser = newBrowser(at);
  const begun = await browser.call("POST", "/session", { body: { email, password: PASSWORD } });
  assert.equal(begun.status, 200, begun.text);
  return (await browser.call("POST", "/session/factor", { body: { code } })).status;
}

async function wantsStatement(t: TestContext): Promise<void> {
  const { dataDir, file, start, stop, restore } = await environment(t);
  const server = await start();
  const tenant = await newTenant(server);
  const user = await signIn(server, tenant);
  await server.app.backup.writeTo(file);
  await server.app.access.deleteUser(tenant.caller, user.email);
  const inUse = await restore("--replace");
  assert.match(inUse.stderr, /another muster process is using the data folder/);
  await stop(server);

  const { code, stderr } = await restore("--replace", "--nothing-revoked-since");
  assert.equal(code, 0, stderr);
  const stated = await start();
  assert.equal(await signsIn(stated, user), false, "the deleted user stays deleted, whatever is stated");
  await stop(stated);

  const refused = /it is not known what has ended since the backup\. State --revoke-all or --nothing-revoked-since/;
  await rm(join(dataDir, "postgres"), { recursive: true });
  assert.match((await restore("--replace")).stderr, refused);
  // A new database in the folder knows nothing of the former one.
  await fillFolder(dataDir);
  const unrelated = await restore("--replace");
  assert.equal(unrelated.code, 1);
  assert.match(unrelated.stderr, /is no later state of this backup, so it is not known/);
  await rm(join(dataDir, "postgres", "global"), { recursive: true });
  const unreadable = await restore("--replace");
  assert.equal(unreadable.code, 1);
  assert.match(unreadable.stderr, refused);
  const done = await restore("--replace", "--revoke-all");
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, new RegExp(`npx muster user reset-password ${tenant.admin.email}`));
  const restored = await start();
  assert.equal(await signsIn(restored, user), false);
}

if (!onPostgres) {
  test("a restore over a later state opens nothing that has ended in it, and keeps what is open in it", carriesOver);
  test("a restore over a database that cannot tell what has ended asks for a statement", wantsStatement);
}
