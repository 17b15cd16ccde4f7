import assert from "node:assert/strict";
import { lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import manifest from "../../package.json" with { type: "json" };
import { restore } from "../../src/backup/backup.ts";
import { openDatabase } from "../../src/db/database.ts";
import { SCHEMA_NUMBER } from "../../src/db/migrate.ts";
import { createDoctor } from "../../src/doctor/doctor.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { onPostgres } from "../harness/database/database.ts";
import { addTenant, createRegistry, enroll, type Registry, type Tenant } from "../harness/enrollment.ts";
import { startShell, type TestShell } from "../harness/processes/shell.ts";
import type { TestServer } from "../harness/server.ts";

const logger = createLogger("silent");
let folder: string;
let shell: TestShell;
let server: TestServer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-backup-"));
  shell = await startShell();
  ({ server } = shell);
});
after(async () => {
  await shell.stop();
  await rm(folder, { recursive: true });
});

const muster = (dataDir: string, ...args: string[]) => shell.muster(args, dataDir);

const STORED = { owner_id: "0199c1c9-4444-7a11-9c22-5e6f7a8b9c0d", client_id: "away", expiry_seconds: 60 };

async function addStoredSession(tenantId: string): Promise<void> {
  const row = { ...STORED, tenant_id: tenantId, session_id: STORED.owner_id, expires_at: server.clock.now() };
  await server.app.database.db.insertInto("stored_sessions").values(row).execute();
}

/** The features over the database of a data folder. */
async function reopen(dataDir: string) {
  const database = await openDatabase({ dataDir, logger });
  const registry = createRegistry({ database, clock: server.clock });
  return { ...registry, database };
}

async function refersToPostgresTools() {
  const { stderr, code } = await muster(server.dataDir, "backup", join(folder, "postgres.backup"));
  assert.equal(code, 1);
  assert.match(stderr, /pg_dump/);
}

async function backUpAndRestore(t: TestContext) {
  const file = join(folder, "one.backup");
  const app = server.app as unknown as Registry;
  const tenant: Tenant = await addTenant(app, "acme");
  const email = "ada@acme.example";
  await app.access.createUser(await app.access.systemCaller("acme"), { email, role: "admin" });
  const key = await app.access.createKey(await app.access.systemCaller("acme"), {
    user: email,
    name: "x",
    scopes: ["devices:read"],
  });
  const kept = await enroll(app, tenant);
  const open = await app.enrollment.createClaim(tenant.caller, { intendedName: "later" });
  await addStoredSession(tenant.caller.tenantId);

  await t.test("is written by the running service, with mode 0600, and replaces no file", async () => {
    const { stdout, code } = await muster(server.dataDir, "backup", file);
    assert.equal(code, 0);
    assert.match(stdout, /Copy the master key separately/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const before = await readFile(file);
    assert.equal((await muster(server.dataDir, "backup", file)).code, 1);
    assert.deepEqual(await readFile(file), before);
    assert.equal((await muster(server.dataDir, "backup", join(folder, "absent/x"))).code, 1);
  });
  await t.test("follows no link that was planted in its way, and leaves it", async () => {
    const [victim, planted] = [join(folder, "victim"), join(folder, "planted")];
    await writeFile(victim, "mine");
    for (const name of [planted, `${planted}.part`]) {
      await symlink(victim, name);
      const { stderr, code } = await muster(server.dataDir, "backup", planted);
      assert.equal(code, 1);
      assert.match(stderr, /This file already exists/);
      assert.equal(await readFile(victim, "utf8"), "mine");
      assert.ok((await lstat(name)).isSymbolicLink());
      await rm(name);
      await assert.rejects(lstat(planted), { code: "ENOENT" });
    }
  });
  const later = await enroll(app, tenant);
  const bundle = { deviceId: kept.answer.deviceId, acknowledgeSelfEnrollmentOverride: true };
  await app.enrollment.issueBundle(tenant.caller, bundle);

  await t.test("is refused without a statement about revocations since the backup", async () => {
    for (const flags of [[], ["--revoke-all", "--nothing-revoked-since"]]) {
      const { stderr, code } = await muster(join(folder, "unstated"), "restore", file, ...flags);
      assert.equal(code, 2);
      assert.match(stderr, /must not make revoked certificates valid/);
    }
  });

  await t.test(
    "with --nothing-revoked-since, certificates of the backup are valid and later ones are refused",
    async () => {
      const dataDir = join(folder, "kept");
      const { stdout, code, stderr } = await muster(dataDir, "restore", file, "--nothing-revoked-since", "--json");
      assert.equal(code, 0, stderr);
      const { revokedCertificates, validCertificates, ended, carried } = JSON.parse(stdout);
      assert.deepEqual(
        { revokedCertificates, validCertificates, carried },
        { revokedCertificates: 0, validCertificates: 1, carried: undefined },
      );
      assert.deepEqual(Object.keys(ended), ["sessions", "links"]);
      const restored = await reopen(dataDir);
      assert.equal((await restored.certificates.identifyDevice(kept.peer)).ok, true);
      assert.equal((await restored.certificates.identifyDevice(later.peer)).ok, false);
      await restored.access.admitRequest(key.key, "::1");
      const left = await restored.database.db.selectFrom("stored_sessions").select("client_id").execute();
      assert.deepEqual(left, [], "what waits for clients may have been acknowledged since");
      await restored.access.close();
      await restored.database.close();
    },
  );

  await t.test("with --revoke-all, no certificate, key or claim is valid, and doctor finds nothing wrong", async () => {
    const dataDir = join(folder, "revoked");
    const { stdout, code, stderr } = await muster(dataDir, "restore", file, "--revoke-all", "--json");
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).revokedCertificates, 1);
    const restored = await reopen(dataDir);
    assert.equal((await restored.certificates.identifyDevice(kept.peer)).ok, false);
    await assert.rejects(restored.access.admitRequest(key.key, "::1"), { code: "invalid_api_key" });
    const caller = await restored.access.systemCaller("acme");
    assert.equal((await restored.enrollment.getClaim(caller, open.id)).status, "revoked");
    const { checks } = await createDoctor(restored).examine({ deep: true });
    assert.deepEqual(
      checks.filter((check) => !check.ok).map((check) => check.name),
      ["a broker node has sent a heartbeat within the last minute"],
    );
    await restored.database.close();
  });

  await t.test("does not start without its own master key, and no other one is created", async () => {
    const { stderr, code } = await muster(join(folder, "kept"), "serve");
    assert.equal(code, 1);
    assert.match(stderr, /^muster: The master key is not the one [^\n]+\n$/);
    await assert.rejects(stat(join(folder, "kept", "master.key")), { code: "ENOENT" });
  });

  await t.test("replaces no existing database", async () => {
    const { stderr, code } = await muster(join(folder, "kept"), "restore", file, "--revoke-all");
    assert.equal(code, 1);
    assert.match(stderr, /contains a database/);
  });

  await t.test("of a later format or schema is refused with the version that wrote it", () =>
    refusesLaterBackups(file),
  );

  await t.test("leaves nothing behind when the file is no backup", async () => {
    const dataDir = join(folder, "nothing");
    const bad = join(folder, "bad.backup");
    const deps = { dataDir, clock: server.clock, ids: randomIds, logger };
    const whole = await readFile(file);
    const head = whole.subarray(0, whole.indexOf("\n") + 1);
    const notGzipped = [Buffer.from("text"), Buffer.from(""), head, Buffer.from("muster-backup {}\n")];
    const ofAnotherProgram = Buffer.concat([Buffer.from("x"), whole.subarray(1)]);
    const noFolder = ["no folder", ""].map((text) => Buffer.concat([head, gzipSync(text)]));
    const notWhole = [whole.subarray(0, -100), whole.subarray(head.length)];
    for (const content of [...notWhole, ofAnotherProgram, ...notGzipped, ...noFolder]) {
      await writeFile(bad, content);
      await assert.rejects(restore(deps, bad, { mode: "revoke-all" }), /is not a backup/);
    }
    await assert.rejects(stat(join(dataDir, "postgres")), { code: "ENOENT" });
    await assert.rejects(stat(join(dataDir, "restoring")), { code: "ENOENT" });
  });
}

async function refusesLaterBackups(file: string) {
  const whole = await readFile(file);
  const end = whole.indexOf("\n");
  const head = JSON.parse(whole.toString("utf8", "muster-backup ".length, end));
  assert.deepEqual(head, { format: 1, schema: SCHEMA_NUMBER, version: manifest.version });
  const dataDir = join(folder, "of-a-later-version");
  const deps = { dataDir, clock: server.clock, ids: randomIds, logger };
  for (const [later, what] of [
    [{ format: 2 }, /of Muster 9\.0\.0 with format 2, and this version knows only 1: restore it with that version/],
    [{ schema: SCHEMA_NUMBER + 1 }, /of Muster 9\.0\.0 with schema \d+, and this version knows only \d+: restore it/],
  ] as const) {
    const path = join(folder, `${Object.keys(later)}.backup`);
    const line = `muster-backup ${JSON.stringify({ ...head, version: "9.0.0", ...later, alsoNew: true })}\n`;
    await writeFile(path, Buffer.concat([Buffer.from(line), whole.subarray(end + 1)]));
    await assert.rejects(restore(deps, path, { mode: "nothing-revoked-since" }), what);
    const { stderr, code } = await muster(dataDir, "restore", path, "--nothing-revoked-since");
    assert.equal(code, 1);
    assert.match(stderr, what);
  }
  await assert.rejects(stat(join(dataDir, "postgres")), { code: "ENOENT" });
}

if (onPostgres) test("PostgreSQL is backed up with its own tools", refersToPostgresTools);
else test("a backup restored", backUpAndRestore);
