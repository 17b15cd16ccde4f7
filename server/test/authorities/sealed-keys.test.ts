/** Sealed values are refused once they were changed in the database. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAuthorities, createMasterKeys } from "../../src/authorities/authorities.ts";
import { encryptAgain } from "../../src/features.ts";
import { isMusterError } from "../../src/lib/errors.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { Secret } from "../../src/lib/secret.ts";
import { openTestDatabase, secondDatabase } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { newTenant } from "../harness/devices.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { turnOnFactor } from "../harness/second-factor.ts";
import { startServer, TEST_MASTER_KEY } from "../harness/server.ts";
import { newBrowser, signIn } from "../harness/sign-in.ts";

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
  const deps = {
    clock: new FakeClock(),
    ids: randomIds,
    logger: createLogger("silent"),
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
  return { start, run, rows };
}

const isChanged = (what: RegExp) => (error: unknown) => {
  assert.ok(isMusterError(error, "sealed_value_changed"), String(error));
  assert.match(error.message, what);
  return true;
};

test("a service whose stored key was changed, or exchanged with another, does not start and reports which one it is", async (t) => {
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
  // Key and certificate of the other record together: they match, but not this record.
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

test("a second factor's secret that was moved to another user accepts no code of that user", async (t) => {
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
