/** What is sealed under the master key is refused once it was changed in the database, and sealed again where an earlier version left it. */
import assert from "node:assert/strict";
import { createCipheriv, type KeyObject, randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createAuthorities, createMasterKeys } from "../src/authorities/authorities.ts";
import { encryptAgain } from "../src/features.ts";
import { isMusterError } from "../src/lib/errors.ts";
import { randomIds } from "../src/lib/ids.ts";
import { createLogger } from "../src/lib/logger.ts";
import { Secret } from "../src/lib/secret.ts";
import { deriveKey, earlierMasterKeyCheck, openPrivateKey } from "../src/pki/pki.ts";
import { openTestDatabase, secondDatabase } from "./harness/database.ts";
import { newTenant } from "./harness/devices.ts";
import { FakeClock } from "./harness/fake-clock.ts";
import { runSql } from "./harness/run-sql.ts";
import { turnOnFactor } from "./harness/second-factor.ts";
import { startServer, TEST_MASTER_KEY } from "./harness/server.ts";
import { newBrowser, signIn } from "./harness/sign-in.ts";

const KEY = Buffer.from(TEST_MASTER_KEY, "base64");

interface StoredAuthority {
  id: string;
  role: string;
  status: string;
  certificate_der: Buffer;
  private_key_pem: string;
}

/** A database with a hierarchy that no process serves, and starts on it. */
async function environment(t: TestContext) {
  const database = await openTestDatabase();
  t.after(() => database.close().then(() => database.remove()));
  const logs: string[] = [];
  const deps = {
    clock: new FakeClock(),
    ids: randomIds,
    logger: createLogger("info", { write: (line) => void logs.push(line) }),
    publicHost: "localhost",
    encryptAgain,
  };
  async function start() {
    const own = await secondDatabase(database);
    const masterKeys = createMasterKeys({
      read: async () => [new Secret(KEY)],
      next: async () => new Secret(Buffer.alloc(32, 9)),
      promote: async () => [],
    });
    const authorities = await createAuthorities({ ...deps, database: own, masterKeys }).catch(async (error) => {
      await own.close();
      throw error;
    });
    return { ...authorities, close: () => authorities.close().then(() => own.close()) };
  }
  const run = <Row extends object>(text: string, values: unknown[] = []) => runSql<Row>(database.db, text, values);
  const rows = () => run<StoredAuthority>("SELECT * FROM authorities ORDER BY id");
  return { database, start, run, rows, logs };
}

const isChanged = (what: RegExp) => (error: unknown) => {
  assert.ok(isMusterError(error, "sealed_value_changed"), String(error));
  assert.match(error.message, what);
  return true;
};

test("a service whose stored key was changed, or exchanged with another, does not start and says which one it is", async (t) => {
  const { start, run, rows } = await environment(t);
  await (await start()).close();
  const [intermediate, broker, https] = ["device_intermediate", "broker_server", "https_server"].map(
    async (role) => (await rows()).find((row) => row.role === role)!,
  );
  const set = async (row: StoredAuthority, pem: string) =>
    void (await run("UPDATE authorities SET private_key_pem = $2 WHERE id = $1", [row.id, pem]));
  const flipped = (pem: string) => pem.replace(/\n(.)/, (_, first) => `\n${first === "A" ? "B" : "A"}`);
  for (const row of [await intermediate!, await broker!, await https!]) {
    await set(row, flipped(row.private_key_pem));
    await assert.rejects(start, isChanged(new RegExp(`private key of the ${row.role} ${row.id} .* was changed`)));
    await set(row, row.private_key_pem);
  }
  const [one, other] = [await broker!, await https!];
  await set(one, other.private_key_pem);
  await assert.rejects(start, isChanged(/broker_server/));
  // Key and certificate of the other one together: they fit, but not this record.
  await run("UPDATE authorities SET certificate_der = $2 WHERE id = $1", [one.id, other.certificate_der]);
  await assert.rejects(start, isChanged(/broker_server/));
  await run("UPDATE authorities SET certificate_der = $2 WHERE id = $1", [one.id, one.certificate_der]);
  await set(one, one.private_key_pem);
  await (await start()).close();
});

test("a root whose stored key was changed signs nothing, and the rotation is refused as a whole", async (t) => {
  const { start, run, rows } = await environment(t);
  const authorities = await start();
  t.after(authorities.close);
  const root = (await rows()).find(({ role }) => role === "device_root")!;
  const another = (await rows()).find(({ role }) => role === "server_root")!;
  await run("UPDATE authorities SET private_key_pem = $2 WHERE id = $1", [root.id, another.private_key_pem]);
  const before = await rows();
  await assert.rejects(authorities.rotateIntermediate(), isChanged(/device_root/));
  await assert.rejects(authorities.rotateMasterKey(), isChanged(/device_root/));
  assert.deepEqual(await rows(), before);
});

test("a second factor's secret that was moved to another user admits no code of it", async (t) => {
  const server = await startServer();
  t.after(server.stop);
  const tenant = await newTenant(server);
  const [user, other] = [await signIn(server, tenant), await signIn(server, tenant)];
  const apps = [await turnOnFactor(server, user), await turnOnFactor(server, other)];
  const { db } = server.app.database;
  await runSql(
    db,
    "UPDATE user_factors SET secret = (SELECT secret FROM user_factors WHERE user_id = $2) WHERE user_id = $1",
    [user.userId, other.userId],
  );
  for (const app of apps) {
    const browser = newBrowser(server);
    const { email, password } = user;
    assert.equal((await browser.call("POST", "/session", { body: { email, password } })).status, 200);
    const answer = await browser.call("POST", "/session/factor", { body: { code: app.nextCode() } });
    assert.equal(answer.status, 500);
    assert.equal((await browser.call("GET", "/users")).status, 403);
  }
  assert.match(server.logs.join(), /secret of the user factor .* was changed in the database/);
});

/** As versions before sealed private keys and other values. */
function earlierPrivateKey(key: KeyObject): string {
  const passphrase = deriveKey(KEY, "keystore").toString("base64url");
  return key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }).toString();
}

function earlierSeal(plain: Buffer, purpose: "retired-keys" | "secrets"): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", deriveKey(KEY, purpose), iv);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

test("a database of an earlier version is sealed again by one of the processes that start, and by no later one", async (t) => {
  const { database, start, run, rows, logs } = await environment(t);
  const first = await start();
  const tls = first.brokerTls();
  await first.close();
  for (const { id, role, certificate_der: certificateDer, private_key_pem: pem } of await rows()) {
    const key = openPrivateKey(pem, { id, role, certificateDer }, KEY);
    await run("UPDATE authorities SET private_key_pem = $2 WHERE id = $1", [id, earlierPrivateKey(key)]);
  }
  const [userId, factorId] = ["0199c1c9-4444-7a11-9c22-5e6f7a8b9c01", "0199c1c9-4444-7a11-9c22-5e6f7a8b9c02"];
  await run("INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 'acme', 'Acme', now())", [userId]);
  await run(
    "INSERT INTO users (id, tenant_id, email, role, password_hash, created_at) VALUES ($1, $1, 'a@b.example', 'admin', '', now())",
    [userId],
  );
  await run("INSERT INTO user_factors (id, user_id, secret, created_at) VALUES ($1, $2, $3, now())", [
    factorId,
    userId,
    earlierSeal(Buffer.alloc(20, 3), "secrets"),
  ]);
  await run(
    "INSERT INTO retired_keys (id, purpose, sealed, retired_at, needed_until) VALUES ($1, 'claim-code', $2, now(), $3)",
    [factorId, earlierSeal(Buffer.alloc(32, 4), "retired-keys"), new Date(Date.now() + 1e11)],
  );
  await run("UPDATE settings SET value = $1 WHERE key = 'master_key_check'", [earlierMasterKeyCheck(KEY)]);

  const started = await Promise.all([start(), start()]);
  t.after(() => Promise.all(started.map((each) => each.close())));
  for (const each of started) {
    assert.deepEqual(each.brokerTls(), tls);
    assert.equal(each.keysFor("claim-code")[1]!.export().toString("hex"), Buffer.alloc(32, 4).toString("hex"));
  }
  assert.equal(logs.filter((line) => line.includes("sealed again")).length, 1);
  for (const { private_key_pem: pem } of await rows()) assert.match(pem, /^-----BEGIN MUSTER SEALED PRIVATE KEY/);
  const [stored] = await run<{ secret: Buffer }>("SELECT secret FROM user_factors");
  const owner = `user factor ${userId} ${factorId}`;
  const opened = await database.db.transaction().execute((tx) => started[0]!.secrets.open(tx, stored!.secret, owner));
  assert.deepEqual(opened, Buffer.alloc(20, 3));
  // What an earlier version sealed is not accepted any more: a person with a former copy cannot put it back.
  const [row] = await rows();
  const key = openPrivateKey(row!.private_key_pem, { ...row!, certificateDer: row!.certificate_der }, KEY);
  await run("UPDATE authorities SET private_key_pem = $2 WHERE id = $1", [row!.id, earlierPrivateKey(key)]);
  await assert.rejects(started[0]!.rotateMasterKey(), isChanged(new RegExp(row!.id)));
});
