import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Access } from "../../src/access/access.ts";
import type { Database } from "../../src/db/database.ts";
import { DAY, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { openTestDatabase, secondDatabase } from "../harness/database/database.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";
import { callerForKey, callerForUser } from "../harness/shell-caller.ts";

const HERE = "192.0.2.7";
const refusedKey = { code: "invalid_api_key" };
let database: Awaited<ReturnType<typeof openTestDatabase>>;
let access: Access;
/** Another server process, with its own connections on PostgreSQL. */
let other: Access;
let otherDatabase: Database;
const clock = new FakeClock();
let counter = 0;

before(async () => {
  database = await openTestDatabase();
  otherDatabase = await secondDatabase(database);
  access = testFeatures({ database, clock }).access;
  other = testFeatures({ database: otherDatabase, clock }).access;
  await access.createTenant({ slug: "acme", name: "Acme" });
  await access.createTenant({ slug: "other", name: "Other" });
});
after(async () => {
  for (const each of [access, other]) await each.close();
  await otherDatabase.close();
  await database.close();
  await database.remove();
});

async function admin(tenant = "acme"): Promise<string> {
  const { email } = await access.createUser(await access.systemCaller(tenant), {
    email: `admin-${counter++}@example.com`,
    role: "admin",
  });
  return email;
}

async function key(user: string, scopes = ["devices:read"], expiresInDays?: number) {
  return await access.createKey(await access.systemCaller("acme"), { user, name: "a key", scopes, expiresInDays });
}

async function authenticate(presented: string | undefined, address: string, at = access) {
  return (await at.admitRequest(presented, address)).caller;
}

async function assertRefused(key: string): Promise<void> {
  for (const process of [access, other]) await assert.rejects(authenticate(key, HERE, process), refusedKey);
}

test("a key authenticates as its tenant, under its public id, with exactly its scopes", async () => {
  const made = await key(await admin(), ["devices:*", "provisioning:read"]);
  const caller = await authenticate(made.key, HERE);
  assert.equal(caller.tenantSlug, "acme");
  assert.equal(caller.actor, `apikey:${made.id}`);
  assert.equal(caller.address, HERE);
  assert.ok(caller.rights.kind === "key");
  assert.deepEqual([...caller.rights.scopes].sort(), ["devices:read", "devices:write", "provisioning:read"]);
});

test("neither password nor key secret is stored in a form that could be used", async () => {
  const { email, password } = await access.createUser(await access.systemCaller("acme"), {
    email: "canary@example.com",
    role: "admin",
  });
  const made = await key(email);
  const rows = [
    ...(await database.db.selectFrom("users").selectAll().execute()),
    ...(await database.db.selectFrom("api_keys").selectAll().execute()),
  ];
  const stored = rows
    .flatMap((row) => Object.values(row))
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)))
    .join("\n");
  assert.ok(!stored.includes(password));
  assert.ok(!stored.includes(made.key.slice(14, 57)));
  assert.ok(stored.includes(made.id));
});

test("a missing, malformed or unknown key and one with another key's secret are refused alike", async () => {
  const user = await admin();
  const [one, two] = [await key(user), await key(user)];
  const crossed = one.key.slice(0, 14) + two.key.slice(14);
  const unknown = "mstr_aaaaaaaa_";
  for (const bad of [undefined, "", "x", one.key.slice(0, -1), crossed, unknown + one.key.slice(14)])
    await assert.rejects(authenticate(bad, HERE), refusedKey);
});

test("a malformed key is refused without a database query", async () => {
  const { key: genuine } = await key(await admin());
  const unused = { ...database };
  const { access } = testFeatures({ database: unused, clock });
  Object.defineProperty(unused, "db", { get: () => assert.fail("the database was queried") });
  const wrongSum = genuine.slice(0, -1) + (genuine.endsWith("0") ? "1" : "0");
  for (const bad of [undefined, "", wrongSum, genuine.toUpperCase(), `${genuine} `, genuine.padEnd(10_240, "0")])
    await assert.rejects(access.admitRequest(bad, HERE), refusedKey);
  await assert.rejects(access.admitRequest(genuine, HERE), { message: "the database was queried" });
});

test("a stored wildcard of a resource without wildcards grants nothing", async () => {
  const made = await key(await admin(), ["devices:read"]);
  const scopes = ["provisioning:*", "device-certificates:*", "*", "*:*", "device-certificates:write", "tickets:*"];
  await database.db.updateTable("api_keys").set({ scopes }).where("id", "=", made.id).execute();
  const { rights } = await authenticate(made.key, HERE);
  assert.deepEqual(rights.kind === "key" && [...rights.scopes], ["tickets:read", "tickets:write"]);
});

test("an unknown scope, or a wildcard of a resource without one, is refused when the key is created", async () => {
  const user = await admin();
  for (const scope of ["provisioning:*", "device-certificates:*", "devices:delete", "*", "device-certificates:write"])
    await assert.rejects(key(user, ["devices:read", scope]), { code: "invalid_request", detail: scope });
});

test("a key works to the last second of its lifetime and not after it", async () => {
  const made = await key(await admin(), ["devices:read"], 3);
  clock.advance(3 * DAY - SECOND);
  await authenticate(made.key, HERE);
  clock.advance(SECOND);
  await assert.rejects(authenticate(made.key, HERE), refusedKey);
});

test("a revoked key is refused immediately in every process; revoking it again changes nothing, and an unknown id is not found", async () => {
  const made = await key(await admin());
  await authenticate(made.key, HERE, other);
  await access.revokeKey(await callerForKey(access, made.id), made.id);
  await assertRefused(made.key);
  const row = () => database.db.selectFrom("api_keys").selectAll().where("id", "=", made.id).executeTakeFirstOrThrow();
  const before = await row();
  clock.advance(MINUTE);
  await access.revokeKey(await callerForKey(access, made.id), made.id);
  assert.deepEqual(await row(), before);
  await assert.rejects(callerForKey(access, "nosuchid"), { code: "not_found" });
  const foreign = await access.systemCaller("other");
  await assert.rejects(access.revokeKey(foreign, made.id), { code: "not_found" });
});

for (const [verb, end] of [
  ["deactivated", async (email: string) => access.deactivateUser(await callerForUser(access, email), email)],
  ["deleted", async (email: string) => access.deleteUser(await callerForUser(access, email), email)],
  ["given a new password", async (email: string) => access.replacePassword(await callerForUser(access, email), email)],
] as const) {
  test(`every key of a user, and no other key, is revoked in every process when the user is ${verb}`, async () => {
    const [user, bystander] = [await admin(), await admin()];
    const [one, two, untouched] = [await key(user), await key(user), await key(bystander)];
    for (const active of [one, two]) await authenticate(active.key, HERE, other);
    await end(user);
    for (const ended of [one, two]) await assertRefused(ended.key);
    await authenticate(untouched.key, HERE, other);
  });
}

test("reactivating a user does not restore the keys, but new ones can be created", async () => {
  const user = await admin();
  const made = await key(user);
  await access.deactivateUser(await callerForUser(access, user), user);
  await assert.rejects(key(user), { code: "invalid_request", detail: user });
  await access.reactivateUser(await callerForUser(access, user), user);
  await assertRefused(made.key);
  await authenticate((await key(user)).key, HERE);
});

test("after the answer to a deactivation no request is admitted, during traffic on both processes", async () => {
  for (let round = 0; round < 3; round++) {
    const user = await admin();
    const made = await key(user);
    let ended = false;
    let passed = 0;
    const traffic = [access, other].map(async (process) => {
      for (let i = 0; i < 50; i++) {
        const late = ended;
        const admitted = await authenticate(made.key, HERE, process).then(
          () => true,
          () => false,
        );
        assert.ok(!(late && admitted), "asked after the answer, and passed");
        if (late) return;
        if (admitted) passed++;
      }
    });
    await authenticate(made.key, HERE);
    await access.deactivateUser(await callerForUser(access, user), user);
    ended = true;
    await Promise.all(traffic);
    assert.ok(passed > 0, "some must have passed before for this to mean anything");
  }
});

test("a key created while its owner is being deactivated is refused or revoked, never active", async () => {
  let made = 0;
  for (let round = 0; round < 15; round++) {
    const user = await admin();
    const attempts: Promise<{ key?: string }>[] = Array.from({ length: 4 }, () => key(user).catch(() => ({})));
    const asMuchLater = round % 2 === 0 ? access.systemCaller("acme") : Promise.resolve();
    const deactivation = asMuchLater
      .then(async () => access.deactivateUser(await callerForUser(access, user), user))
      .then(() => ({}));
    attempts.splice(round % 5, 0, deactivation);
    for (const result of await Promise.all(attempts)) {
      if (result.key === undefined) continue;
      made++;
      await assert.rejects(authenticate(result.key, HERE), refusedKey);
    }
  }
  assert.ok(made > 0, "some keys must have been made first for this to mean anything");
  const survivors = await database.db
    .selectFrom("api_keys as k")
    .innerJoin("users as u", "u.id", "k.user_id")
    .select("k.id")
    .where("u.status", "=", "deactivated")
    .where("k.revoked_at", "is", null)
    .execute();
  assert.deepEqual(survivors, []);
});

test("the owner of a key is an admin of the same tenant", async () => {
  const viewer = await access.createUser(await access.systemCaller("acme"), {
    email: "viewer@example.com",
    role: "viewer",
  });
  const other = await admin("other");
  for (const user of [viewer.email, other, "nobody@example.com"])
    await assert.rejects(key(user), { code: "invalid_request", detail: user });
});

test("an e-mail address belongs to one user, whatever its case, until that user is deleted", async () => {
  const user = await admin();
  const again = { email: user.toUpperCase(), role: "viewer" as const };
  const foreign = await access.systemCaller("other");
  await assert.rejects(access.createUser(foreign, again), { code: "already_exists" });
  await access.deleteUser(await callerForUser(access, user.toUpperCase()), user.toUpperCase());
  await access.createUser(foreign, again);
  await assert.rejects(callerForUser(access, "nobody@example.com"), { code: "not_found" });
});

test("a slug is a lower-case topic segment, unique in the service", async () => {
  for (const slug of ["", "Acme", "a/b", "a b", "é", "x".repeat(41), "+"])
    await assert.rejects(access.createTenant({ slug, name: "x" }), { code: "invalid_request" });
  await assert.rejects(access.createTenant({ slug: "acme", name: "x" }), { code: "already_exists" });
  await assert.rejects(access.systemCaller("nowhere"), { code: "not_found" });
});

test("the last use is recorded once per minute, with the address", async () => {
  const made = await key(await admin());
  const used = async () => {
    await access.close();
    return await database.db
      .selectFrom("api_keys")
      .select(["last_used_at", "last_used_address"])
      .where("id", "=", made.id)
      .executeTakeFirstOrThrow();
  };
  assert.equal((await used()).last_used_at, null);
  const first = clock.now();
  await authenticate(made.key, HERE);
  assert.deepEqual(await used(), { last_used_at: first, last_used_address: HERE });
  clock.advance(MINUTE - SECOND);
  await authenticate(made.key, "192.0.2.8");
  assert.deepEqual(await used(), { last_used_at: first, last_used_address: HERE });
  clock.advance(SECOND);
  await authenticate(made.key, "192.0.2.8");
  assert.deepEqual(await used(), { last_used_at: clock.now(), last_used_address: "192.0.2.8" });
});
