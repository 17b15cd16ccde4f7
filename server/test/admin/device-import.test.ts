import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let hall: string;
let pump: TestDevice;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  const { groups, devices } = server.app;
  hall = (await groups.createGroup(tenant.caller, { name: "Hall", memberUserIds: [operator.userId] })).id;
  pump = await enrollDevice(server, tenant);
  const edit = { name: "Pump", groupIds: [hall], metadata: { site: "North", floor: 2 } };
  await devices.replaceDevice(tenant.caller, pump.deviceId, edit);
});
after(() => server.stop());

async function imported(rows: object[], { preview = false, by = admin } = {}) {
  const answer = await by.call("POST", "/devices/import", { body: { rows, preview } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.items as { outcome: string; id: string; nameBefore: string | null; error: string | null }[];
}
const outcomes = async (...args: Parameters<typeof imported>) =>
  (await imported(...args)).map(({ outcome, error }) => error ?? outcome);
const device = async (id: string) => (await admin.call("GET", `/devices/${id}`)).json;
const found = async (query: string) =>
  (await admin.call("GET", `/devices?sort=id&${query}`)).json.items.map(({ id }: { id: string }) => id);

test("rows add and change devices, by id or fingerprint; a preview writes nothing, a repetition changes nothing", async () => {
  const fingerprint = (await device(pump.deviceId)).hardwareFingerprint;
  const rows = [
    { id: "valve-1", name: "Valve 1", groups: ["hall"], deviceType: "Pump", metadata: { site: "South" } },
    { hardwareFingerprint: ` ${fingerprint.toUpperCase()} `, name: "Feed pump", metadata: { site: "South" } },
  ];
  const acts = async () => (await admin.call("GET", "/audit/admin?limit=1")).json.total;
  const before = await acts();
  assert.deepEqual(await outcomes(rows, { preview: true }), ["created", "changed"]);
  assert.equal((await device("valve-1")).error, "not_found");
  assert.equal((await device(pump.deviceId)).name, "Pump");
  assert.equal(await acts(), before);

  const [added, changed] = await imported(rows);
  assert.deepEqual([added!.outcome, added!.nameBefore], ["created", null]);
  assert.deepEqual([changed!.outcome, changed!.id, changed!.nameBefore], ["changed", pump.deviceId, "Pump"]);
  const valve = await device("valve-1");
  assert.deepEqual([valve.name, valve.groupIds, valve.metadata], ["Valve 1", [hall], { site: "South" }]);
  const changedPump = await device(pump.deviceId);
  assert.deepEqual([changedPump.name, changedPump.groupIds], ["Feed pump", [hall]]);
  assert.deepEqual(changedPump.metadata, { site: "South", floor: 2 });
  assert.ok((await acts()) >= before + 2);
  assert.deepEqual(await outcomes(rows), ["unchanged", "unchanged"]);
});

test("a refused row says why and affects no other", async () => {
  await admin.call("POST", "/groups", { body: { name: "Twin" } });
  await admin.call("POST", "/groups", { body: { name: "twin" } });
  const rows = [
    { id: "valve-2", name: "Valve 2", groups: ["Nowhere"] },
    { id: "valve-2", name: "Valve 2", groups: ["Twin"] },
    { id: "bad id", name: "x" },
    { id: "valve-3" },
    { name: "no id" },
    { hardwareFingerprint: "unknown", name: "x" },
    { id: "valve-4", name: "Valve 4" },
  ];
  for (const preview of [true, false]) {
    const items = await outcomes(rows, { preview });
    assert.deepEqual(items, [...Array(6).fill("invalid_request"), "created"]);
  }
});

test("an operator renames devices of own groups, and neither adds devices nor sees others", async () => {
  const rows = [
    { id: pump.deviceId, name: "Renamed" },
    { id: "valve-9", name: "New" },
    { id: "valve-4", name: "Not of the group" },
  ];
  for (const preview of [true, false])
    assert.deepEqual(await outcomes(rows, { by: operator, preview }), [
      "changed",
      "insufficient_role",
      "insufficient_role",
    ]);
  assert.equal((await device("valve-4")).name, "Valve 4");
  assert.equal((await device("valve-9")).error, "not_found");
});

test("devices are found by fields of their metadata, one of several groups, and by what they are not", async () => {
  await imported([
    { id: "m-1", name: "m", groups: ["Hall"], metadata: { site: "A, B=C", floor: 1 } },
    { id: "m-2", name: "m", metadata: { site: "Über", floor: 2 } },
    { id: "m-3", name: "m", metadata: { floor: 2, extra: "" } },
  ]);
  const field = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  const where = (...pairs: string[]) => `q=m-&metadata=${encodeURIComponent(pairs.join(","))}`;
  assert.deepEqual(await found(where(field("site", "A, B=C"))), ["m-1"]);
  assert.deepEqual(await found(where(field("site", "A, B=C"), field("site", "Über"))), ["m-1", "m-2"]);
  assert.deepEqual(await found(where(field("floor", "2"), field("site", "Über"))), ["m-2"]);
  assert.deepEqual(await found(where("extra")), ["m-3"]);
  assert.deepEqual(await found(`q=m-&notMetadata=${encodeURIComponent(field("site", "Über"))}`), ["m-1", "m-3"]);
  assert.deepEqual(await found(`q=m-&groupId=${hall},none`), ["m-1", "m-2", "m-3"]);
  assert.deepEqual(await found(`q=m-&notGroupId=${hall},no-uuid`), ["m-2", "m-3"]);
  assert.deepEqual(await found("q=m-&groupId=no-uuid"), []);
  for (const bad of ["%", "=x", Array(21).fill("a").join(",")])
    assert.equal((await admin.call("GET", `/devices?metadata=${encodeURIComponent(bad)}`)).status, 400, bad);
});

test("pickers find a device by fingerprint and tell devices apart; fields of the metadata are listed with values", async () => {
  const { hardwareFingerprint } = await device(pump.deviceId);
  const answer = await operator.call("GET", `/device-suggestions?q=${hardwareFingerprint}`);
  assert.equal(answer.status, 200, answer.text);
  const { items } = answer.json;
  const { id, name, groupIds, place } = items[0];
  assert.deepEqual([id, name, groupIds, place], [pump.deviceId, "Renamed", [hall], "South"]);
  const hidden = (await operator.call("GET", "/device-suggestions?q=m-2")).json.items;
  assert.deepEqual(hidden, []);
  const fields = (await operator.call("GET", "/metadata-fields")).json.items;
  const site = fields.find((each: { name: string }) => each.name === "site");
  assert.deepEqual(site, { name: "site", devices: 3, values: ["South", "A, B=C"] });
  const actors = (await operator.call("GET", `/actors?actors=device:${pump.deviceId}`)).json.items;
  assert.deepEqual([actors[0].groupIds, actors[0].place], [[hall], "South"]);
});
