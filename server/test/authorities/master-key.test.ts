import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Authorities, createAuthorities, createMasterKeys } from "../../src/authorities/authorities.ts";
import { parseConfig } from "../../src/config/config.ts";
import { openMasterKeyStore } from "../../src/config/master-key.ts";
import { type Database, openDatabase } from "../../src/db/database.ts";
import { CLAIM_MINUTES } from "../../src/enrollment/limits.ts";
import { encryptAgain } from "../../src/features.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
import { isMusterError } from "../../src/lib/errors.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { onPostgres, openTestDatabase, secondDatabase } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { FakeClock } from "../harness/fake-clock.ts";

interface Process {
  authorities: Authorities;
  dataDir: string;
  logs: string[];
}

/** A database, and processes on it with separate data folders, as `createApp` composes them. */
async function environment(t: TestContext) {
  const first = await openTestDatabase();
  const clock = new FakeClock();
  const closing: (() => Promise<unknown>)[] = [() => first.close(), () => first.remove()];
  t.after(async () => {
    for (const close of closing) await close();
  });
  async function start(env: Record<string, string> = {}, on: Database = first, dataDir?: string): Promise<Process> {
    const folder = dataDir ?? (await mkdtemp(join(tmpdir(), "muster-key-")));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const logs: string[] = [];
    const logger = createLogger("info", { write: (line) => void logs.push(line) });
    const store = await openMasterKeyStore(parseConfig({ ...env, MUSTER_DATA_DIR: folder }));
    const database = on === first ? await secondDatabase(first) : on;
    const deps = {
      database,
      clock,
      ids: randomIds,
      logger,
      masterKeys: createMasterKeys(store),
      publicHost: "localhost",
      encryptAgain,
    };
    const authorities = await createAuthorities(deps).catch(async (error) => {
      await database.close();
      throw error;
    });
    closing.unshift(async () => {
      await authorities.close();
      await database.close();
    });
    return { authorities, dataDir: folder, logs };
  }
  return { database: first, clock, start };
}

const newKey = () => randomBytes(32).toString("base64");
const wrongMasterKey = (error: unknown) => isMusterError(error, "wrong_master_key");
const bytes = (authorities: Authorities, purpose: "claim-code" | "webhook-secrets") =>
  authorities.keysFor(purpose).map((key) => key.export().toString("hex"));

test("a rotation in the data folder keeps every authority, changes every stored key and stores the former key separately", async (t) => {
  const { database, start } = await environment(t);
  const { authorities, dataDir } = await start();
  const stored = () =>
    runSql<{ id: string; pem: string }>(database.db, "SELECT id, private_key_pem AS pem FROM authorities ORDER BY id");
  const [before, tls, former] = [await stored(), authorities.brokerTls(), await readFile(join(dataDir, "master.key"))];
  const { keyId, formerKeyId, remaining } = await authorities.rotateMasterKey();
  assert.notEqual(keyId, formerKeyId);
  assert.match(remaining.join(), /former key is in .*master\.key\.[0-9a-f]{8}\. Backups made before now need it/);
  assert.deepEqual((await readdir(dataDir)).sort(), ["master.key", `master.key.${formerKeyId}`]);
  assert.deepEqual(await readFile(join(dataDir, `master.key.${formerKeyId}`)), former);
  assert.notDeepEqual(await readFile(join(dataDir, "master.key")), former);
  assert.equal((await stat(join(dataDir, "master.key"))).mode & 0o777, 0o600);
  const after = await stored();
  assert.deepEqual(
    after.map(({ id }) => id),
    before.map(({ id }) => id),
  );
  for (const [at, { pem }] of after.entries()) assert.notEqual(pem, before[at]!.pem);
  assert.deepEqual(authorities.brokerTls(), tls);

  const again = await start({}, database, dataDir);
  assert.deepEqual(again.authorities.brokerTls(), tls);
  await again.authorities.rotateIntermediate();
  await assert.rejects(start({ MUSTER_MASTER_KEY: former.toString() }), wrongMasterKey);
  const [act] = await runSql<Record<string, unknown>>(
    database.db,
    "SELECT act, target, before, after FROM admin_audit WHERE act LIKE 'master-key%'",
  );
  const ids = { before: { keyId: formerKeyId }, after: { keyId } };
  assert.deepEqual(act, { act: "master-key.rotate", target: keyId, ...ids });
});

test("claims and webhook secrets from before a rotation stay valid for a day and a month, over further rotations", async (t) => {
  const { clock, start } = await environment(t);
  const { authorities } = await start();
  const [claim, webhook] = [bytes(authorities, "claim-code"), bytes(authorities, "webhook-secrets")];
  await authorities.rotateMasterKey();
  assert.deepEqual(bytes(authorities, "claim-code").slice(1), claim);
  assert.deepEqual(bytes(authorities, "webhook-secrets").slice(1), webhook);
  clock.advance(HOUR);
  await authorities.rotateMasterKey();
  assert.equal(new Set(bytes(authorities, "claim-code")).size, 3);
  assert.equal(bytes(authorities, "claim-code").at(-1), claim[0]);
  clock.advance(CLAIM_MINUTES.max * MINUTE - HOUR);
  assert.equal(bytes(authorities, "claim-code").at(-1), claim[0], "a claim made just before it has expired by now");
  clock.advance(2 * HOUR);
  assert.equal(bytes(authorities, "claim-code").length, 1);
  assert.equal(bytes(authorities, "webhook-secrets").at(-1), webhook[0]);
  clock.advance(30 * DAY);
  assert.equal(bytes(authorities, "webhook-secrets").length, 1);
  await authorities.maintain();
});

test("keys that are no longer needed are deleted from the database", async (t) => {
  const { database, clock, start } = await environment(t);
  const { authorities } = await start();
  await authorities.rotateMasterKey();
  const count = async () => (await runSql(database.db, "SELECT FROM retired_keys")).length;
  assert.equal(await count(), 5);
  clock.advance(2 * DAY);
  await authorities.maintain();
  assert.equal(await count(), 2);
  clock.advance(30 * DAY);
  await authorities.maintain();
  assert.equal(await count(), 0);
});

test("a master key in the environment is rotated to MUSTER_MASTER_KEY_NEXT", async (t) => {
  const { start } = await environment(t);
  const [key, next] = [newKey(), newKey()];
  const alone = await start({ MUSTER_MASTER_KEY: key });
  await assert.rejects(alone.authorities.rotateMasterKey(), /Set MUSTER_MASTER_KEY_NEXT to a new key/);
  const env = { MUSTER_MASTER_KEY: key, MUSTER_MASTER_KEY_NEXT: next };
  const { authorities } = await start(env);
  assert.match((await authorities.rotateMasterKey()).remaining.join(), /Set MUSTER_MASTER_KEY to the value of/);
  const { formerKeyId, remaining } = await authorities.rotateMasterKey();
  assert.equal(formerKeyId, null, "repeated, it changes nothing");
  assert.equal(remaining.length, 1);
  const restarted = await start(env);
  assert.match(restarted.logs.join(), /the master key was rotated: Set MUSTER_MASTER_KEY to the value of/);
  await start({ MUSTER_MASTER_KEY: next });
  await assert.rejects(start({ MUSTER_MASTER_KEY: key }), wrongMasterKey);
});

test("a master key file is rotated to the file beside it, in every process that has both", async (t) => {
  const { start } = await environment(t);
  const folders = await Promise.all([1, 2, 3].map(() => mkdtemp(join(tmpdir(), "muster-key-"))));
  t.after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
  const key = newKey();
  const started = await Promise.all(
    folders.map(async (folder) => {
      await writeFile(join(folder, "key"), key, { mode: 0o600 });
      return await start({ MUSTER_MASTER_KEY_FILE: join(folder, "key") });
    }),
  );
  const [one, other, stale] = started.map(({ authorities }) => authorities);
  await assert.rejects(one!.rotateMasterKey(), /Write a new key to .*key\.next, on every machine/);
  const next = newKey();
  for (const folder of folders.slice(0, 2)) await writeFile(join(folder, "key.next"), next, { mode: 0o600 });
  const followed = new Promise<void>((resolve) => other!.onChange(resolve));
  await one!.rotateMasterKey();
  await followed;
  assert.deepEqual(bytes(other!, "claim-code"), bytes(one!, "claim-code"));
  await other!.maintain();
  for (const folder of folders.slice(0, 2)) {
    assert.equal((await readFile(join(folder, "key"), "utf8")).trim(), next);
    assert.equal((await readdir(folder)).filter((name) => name !== "key" && /^key\.[0-9a-f]{8}$/.test(name)).length, 1);
  }
  // A process without the new key continues to serve, and neither creates nor accepts claims under the former key.
  await assert.rejects(stale!.maintain(), wrongMasterKey);
  assert.throws(() => stale!.keysFor("claim-code"), wrongMasterKey);
  assert.ok(stale!.brokerTls().key.length > 0);
});

async function restoreFormer(t: TestContext): Promise<void> {
  const { database, start } = await environment(t);
  const { authorities, dataDir } = await start();
  const tls = authorities.brokerTls();
  const backup = await database.dump!();
  const { formerKeyId } = await authorities.rotateMasterKey();
  const former = await readFile(join(dataDir, `master.key.${formerKeyId}`), "utf8");
  const options = { dataDir: "memory", snapshot: backup, logger: createLogger("silent") };
  const restored = await start({ MUSTER_MASTER_KEY: former }, await openDatabase(options));
  assert.deepEqual(restored.authorities.brokerTls(), tls);
}

// PostgreSQL is backed up with its own tools.
if (!onPostgres) test("a backup from before a rotation is restored with the former key", restoreFormer);

test("two simultaneous rotations: both processes end with the same key, and start again", async (t) => {
  const { database, start } = await environment(t);
  const { authorities, dataDir } = await start();
  const done = await Promise.allSettled([authorities.rotateMasterKey(), authorities.rotateMasterKey()]);
  assert.ok(done.some(({ status }) => status === "fulfilled"));
  const again = await start({}, database, dataDir);
  assert.deepEqual(again.authorities.brokerTls(), authorities.brokerTls());
});
