import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let ada: SignedIn;
let bob: SignedIn;

before(async () => {
  server = await startServer();
  const tenant = await newTenant(server);
  [ada, bob] = [await signIn(server, tenant, "viewer"), await signIn(server, tenant, "viewer")];
});
after(() => server.stop());

const save = (user: SignedIn, name: string, values: object = { q: "pump" }, list = "devices") =>
  user.call("POST", "/filters", { body: { list, name, values } });
const namesOf = async (user: SignedIn, list = "devices") =>
  (await user.call("GET", `/filters?list=${list}`)).json.items.map(({ name }: { name: string }) => name);

test("a user saves, renames and deletes private filters of a list", async () => {
  const { status, json } = await save(ada, "Offline", { q: "pump", connectivity: "offline" });
  assert.deepEqual([status, json.values], [201, { q: "pump", connectivity: "offline" }]);
  await save(ada, "a type");
  assert.equal((await save(ada, "OFFLINE")).status, 409, "a name is given once");
  assert.equal((await save(ada, "Offline", {}, "tickets")).status, 201, "each list has its own names");
  assert.deepEqual(await namesOf(ada), ["a type", "Offline"]);
  assert.deepEqual(await namesOf(bob), []);
  const path = `/filters/${json.id}`;
  assert.equal((await bob.call("PATCH", path, { body: { name: "Mine" } })).status, 404);
  assert.equal((await bob.call("DELETE", path)).status, 204);
  assert.equal((await ada.call("PATCH", path, { body: { name: "A type" } })).json.error, "already_exists");
  assert.equal((await ada.call("PATCH", path, { body: { name: "Gone quiet" } })).json.name, "Gone quiet");
  assert.deepEqual(await namesOf(ada), ["a type", "Gone quiet"]);
  for (const repeated of [1, 2]) assert.equal((await ada.call("DELETE", path)).status, 204, String(repeated));
  assert.deepEqual(await namesOf(ada), ["a type"]);
});

test("a user has at most twenty filters per list, and a filter has few fields", async () => {
  const many = Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`f${n}`, "x"]));
  assert.equal((await save(bob, "Many", many)).json.error, "invalid_request");
  assert.equal((await save(bob, "Unknown", {}, "users")).json.error, "invalid_request");
  for (let n = 0; n < 20; n++) assert.equal((await save(bob, `Filter ${n}`)).status, 201);
  assert.equal((await save(bob, "One more")).json.error, "invalid_request");
  assert.equal((await save(bob, "Another list", {}, "anomalies")).status, 201);
});
