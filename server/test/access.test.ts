import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Access, createAccess } from "../src/access/access.ts";
import type { Database } from "../src/db/database.ts";
import { DAY, MINUTE, SECOND } from "../src/lib/clock.ts";
import { randomIds } from "../src/lib/ids.ts";
import { createLogger } from "../src/lib/logger.ts";
import { openTestDatabase } from "./harness/database.ts";
import { FakeClock } from "./harness/fake-clock.ts";

const HERE = "192.0.2.7";
const refusedKey = { code: "invalid_api_key" };
let database: Database & { remove(): Promise<void> };
let access: Access;
const clock = new FakeClock();
let counter = 0;

before(async () => {
  database = await openTestDatabase();
  access = createAccess({ database, clock, ids: randomIds, logger: createLogger("silent") });
  await access.createTenant({ slug: "acme", name: "Acme" });
  await access.createTenant({ slug: "other", name: "Other" });
});
after(async () => {
  await access.close();
  await database.close();
  await database.remove();
});

async function admin(tenant = "acme"): Promise<string> {
  const { email } = await access.createUser({ tenant, email: `admin-${counter++}@example.com`, role: "admin" });
  return email;
}

async function key(user: string, scopes = ["devices:read"], expiresInDays?: number) {
  return await access.createKey({ tenant: "acme", user, name: "a key", scopes, expiresInDays });
}

async function authenticate(presented: string | undefined, address: string) {
  return (await access.admitRequest(presented, address)).caller;
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
  const { email, password } = await access.createUser({ tenant: "acme", email: "canary@example.com", role: "admin" });
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

test("a key works to the last second of its days and not at the next", async () => {
  const made = await key(await admin(), ["devices:read"], 3);
  clock.advance(3 * DAY - SECOND);
  await authenticate(made.key, HERE);
  clock.advance(SECOND);
  await assert.rejects(authenticate(made.key, HERE), refusedKey);
});

test("a revoked key is dead at once; revoking again changes nothing, an unknown id is not found", async () => {
  const made = await key(await admin());
  await access.revokeKey(made.id);
  await assert.rejects(authenticate(made.key, HERE), refusedKey);
  const row = () => database.db.selectFrom("api_keys").selectAll().where("id", "=", made.id).executeTakeFirstOrThrow();
  const before = await row();
  clock.advance(MINUTE);
  await access.revokeKey(made.id);
  assert.deepEqual(await row(), before);
  await assert.rejects(access.revokeKey("nosuchid"), { code: "not_found" });
});

for (const [verb, end] of [
  ["deactivated", (email: string) => access.deactivateUser(email)],
  ["deleted", (email: string) => access.deleteUser(email)],
  ["given a new password", (email: string) => access.resetPassword(email)],
] as const) {
  test(`every key of a user dies when the user is ${verb}, and nobody else's`, async () => {
    const [user, bystander] = [await admin(), await admin()];
    const [one, two, untouched] = [await key(user), await key(user), await key(bystander)];
    await end(user);
    for (const dead of [one, two]) await assert.rejects(authenticate(dead.key, HERE), refusedKey);
    await authenticate(untouched.key, HERE);
  });
}

test("reactivating a user does not restore the keys, but new ones can be made", async () => {
  const user = await admin();
  const made = await key(user);
  await access.deactivateUser(user);
  await assert.rejects(key(user), { code: "invalid_request", detail: user });
  await access.reactivateUser(user);
  await assert.rejects(authenticate(made.key, HERE), refusedKey);
  await authenticate((await key(user)).key, HERE);
});

test("a key made while its creator is being deactivated is refused or dies, never survives", async () => {
  let made = 0;
  for (let round = 0; round < 15; round++) {
    const user = await admin();
    const attempts: Promise<{ key?: string }>[] = Array.from({ length: 4 }, () => key(user).catch(() => ({})));
    const asMuchLater = round % 2 === 0 ? access.systemCaller("acme") : Promise.resolve();
    const deactivation = asMuchLater.then(() => access.deactivateUser(user)).then(() => ({}));
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

test("keys are an admin's affair, of the admin's own tenant", async () => {
  const viewer = await access.createUser({ tenant: "acme", email: "viewer@example.com", role: "viewer" });
  const stranger = await admin("other");
  for (const user of [viewer.email, stranger, "nobody@example.com"])
    await assert.rejects(key(user), { code: "invalid_request", detail: user });
});

test("an email address is one user's in any case, until that user is deleted", async () => {
  const user = await admin();
  const again = { tenant: "other", email: user.toUpperCase(), role: "viewer" as const };
  await assert.rejects(access.createUser(again), { code: "already_exists" });
  await access.deleteUser(user.toUpperCase());
  await access.createUser(again);
  await assert.rejects(access.deleteUser("nobody@example.com"), { code: "not_found" });
});

test("a slug is a topic segment of lower case, and taken once", async () => {
  for (const slug of ["", "Acme", "a/b", "a b", "é", "x".repeat(41), "+"])
    await assert.rejects(access.createTenant({ slug, name: "x" }), { code: "invalid_request" });
  await assert.rejects(access.createTenant({ slug: "acme", name: "x" }), { code: "already_exists" });
  await assert.rejects(access.systemCaller("nowhere"), { code: "not_found" });
});

test("the last use is noted once a minute, with the address", async () => {
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
