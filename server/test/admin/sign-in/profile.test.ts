import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newTenant } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

const PROFILE = { name: "Ada Lovelace", language: "de", timeZone: "Asia/Kolkata", clock: "24", theme: "dark" };
const NONE = { name: null, language: null, timeZone: null, clock: null, theme: null };

let server: TestServer;
let ada: SignedIn;
let admin: SignedIn;

before(async () => {
  server = await startServer();
  const tenant = await newTenant(server);
  [ada, admin] = [await signIn(server, tenant, "viewer"), await signIn(server, tenant, "admin")];
});
after(() => server.stop());

const save = (profile: object, user = ada) => user.call("PUT", "/profile", { body: { ...NONE, ...profile } });
const profileOf = async (user = ada) => (await user.call("GET", "/session")).json.profile;

test("a user keeps a name, and how the app is shown, in every session", async () => {
  assert.deepEqual(await profileOf(), NONE);
  const { status, json } = await save({ ...PROFILE, name: "  Ada Lovelace " });
  assert.deepEqual([status, json], [200, PROFILE]);
  assert.deepEqual(await profileOf(), PROFILE);
  assert.deepEqual(await profileOf(admin), NONE, "another user's stays");
});

test("others see the name, with the address that tells users of one name apart", async () => {
  await save(PROFILE);
  const { user } = (await ada.call("GET", "/session")).json;
  const actor = `user:${user.id}`;
  const { items } = (await admin.call("GET", `/actors?actors=${actor}`)).json;
  assert.deepEqual(items, [
    { actor, name: "Ada Lovelace", email: user.email, deleted: false, groupIds: [], place: null },
  ]);
  const found = async (path: string) => (await admin.call("GET", path)).json.items.map(({ name }: typeof user) => name);
  assert.deepEqual(await found("/people?q=lovel"), ["Ada Lovelace"]);
  assert.deepEqual(await found("/users?q=LOVEL"), ["Ada Lovelace"]);
  assert.deepEqual(await found(`/users?q=${user.email}`), ["Ada Lovelace"], "and by the address");
});

test("the audit records the change with both states", async () => {
  await save(PROFILE);
  await save({ ...PROFILE, theme: "light" });
  const { user } = (await ada.call("GET", "/session")).json;
  const { items } = (await admin.call("GET", "/audit/admin?act=user.change-profile")).json;
  assert.equal(items[0].target, user.id);
  assert.deepEqual([items[0].before.theme, items[0].after.theme], ["dark", "light"]);
});

test("a profile is one of known values", async () => {
  await save(PROFILE);
  for (const [wrong, detail] of [
    [{ timeZone: "Europe/Atlantis" }, "timeZone"],
    [{ timeZone: "+02:00" }, "timeZone"],
    [{ language: "xx" }, "language"],
    [{ clock: "13" }, "clock"],
    [{ name: "a\u0007b" }, "name"],
    [{ name: "x".repeat(500) }, "name"],
  ] as const) {
    const { status, json } = await save(wrong);
    assert.deepEqual([status, json.error], [400, "invalid_request"], JSON.stringify(wrong));
    assert.match(JSON.stringify(json), new RegExp(detail), JSON.stringify(wrong));
  }
  assert.deepEqual(await profileOf(), PROFILE, "a refused change changes nothing");
});
