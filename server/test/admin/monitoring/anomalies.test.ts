import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../../src/lib/clock.ts";
import { assignPacks, sendValues } from "../../harness/anomalies.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { type Sinks, startSinks } from "../../harness/http/sinks.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let sinks: Sinks;
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let viewer: SignedIn;
let group: string;
let pack: string;

before(async () => {
  sinks = await startSinks();
  server = await startServer({ env: sinks.env });
  tenant = await newTenant(server);
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  viewer = await signIn(server, tenant, "viewer");
  const { devices, groups, rules } = server.app;
  const memberUserIds = [operator.userId, viewer.userId];
  ({ id: group } = await groups.createGroup(tenant.caller, { name: "Hall", memberUserIds }));
  ({ id: pack } = await rules.createThreshold(tenant.caller, {
    name: "Bearings",
    rules: (["critical", "major", "minor", "warning"] as const).map((severity) => ({
      metric: severity,
      operator: "gt",
      value: 90,
      severity,
    })),
  }));
  for (const [id, groupIds] of [
    ["seen", [group]],
    ["hidden", []],
  ] as const) {
    await devices.createDevice(tenant.caller, { id, name: id, groupIds });
    await assignPacks(where(), tenant.caller, id, pack);
  }
});
after(async () => {
  await server.stop();
  await sinks.stop();
});

const where = () => ({ database: server.app.database, clock: server.clock });

const NOWHERE = "00000000-0000-7000-8000-000000000000";

/**
 * Opens anomalies of a device one after the other.
 * @returns their ids, oldest first
 */
async function open(deviceId: string, ...severities: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const severity of severities) {
    server.clock.advance(1_000);
    await sendValues(where(), tenant.caller, deviceId, { [severity]: 95 });
    const { json } = await admin.call("GET", `/anomalies?deviceId=${deviceId}&severity=${severity}&limit=1`);
    ids.push(json.items[0].id);
  }
  return ids;
}

/** Ends every open anomaly of a device. */
async function calm(deviceId: string): Promise<void> {
  server.clock.advance(1_000);
  await sendValues(where(), tenant.caller, deviceId, { critical: 1, major: 1, minor: 1, warning: 1 });
}

async function listed(user: SignedIn, query: string): Promise<string[]> {
  const { status, json, text } = await user.call("GET", `/anomalies?${query}`);
  assert.equal(status, 200, text);
  assert.equal(json.total, json.items.length);
  return json.items.map(({ deviceId, severity }: { deviceId: string; severity: string }) => `${deviceId} ${severity}`);
}

const acknowledge = (user: SignedIn, body: object, headers: Record<string, string> = {}) =>
  user.call("POST", "/anomalies/acknowledge", { body, headers });

test("anomalies are filtered by device, status, severity and time, also negated, and sorted", async () => {
  const from = server.clock.now().toISOString();
  const [, , ended] = await open("seen", "warning", "critical", "minor");
  await sendValues(where(), tenant.caller, "seen", { minor: 1 });
  await open("hidden", "major");
  const to = new Date(server.clock.now().getTime()).toISOString();
  const newest = ["hidden major", "seen minor", "seen critical", "seen warning"];
  for (const [query, expected] of [
    ["", newest],
    ["deviceId=seen", newest.slice(1)],
    ["deviceId=no such device", []],
    ["status=open", ["hidden major", "seen critical", "seen warning"]],
    ["status=open,acknowledged", ["hidden major", "seen critical", "seen warning"]],
    ["notStatus=resolved", ["hidden major", "seen critical", "seen warning"]],
    ["status=resolved&notStatus=resolved", []],
    ["notStatus=open,acknowledged", ["seen minor"]],
    ["severity=critical,major", ["hidden major", "seen critical"]],
    ["notSeverity=critical,major", ["seen minor", "seen warning"]],
    ["status=open&severity=critical&deviceId=seen", ["seen critical"]],
    ["sort=-severity", ["seen critical", "hidden major", "seen minor", "seen warning"]],
    ["sort=severity&status=open", ["seen warning", "hidden major", "seen critical"]],
    ["sort=openedAt", newest.toReversed()],
    [`from=${from}&to=${to}`, newest.slice(1)],
    [`to=${from}`, []],
  ] as const)
    assert.deepEqual(await listed(admin, query), expected, query);
  const { json } = await admin.call("GET", "/anomalies?sort=-lastObservedAt&limit=1&skip=1");
  assert.deepEqual([json.total, json.items[0].id], [4, ended]);
  for (const query of ["status=closed", "sort=device", "severity=", "from=yesterday"])
    assert.equal((await admin.call("GET", `/anomalies?${query}`)).json.error, "invalid_request", query);
  const file = await admin.call("GET", "/anomalies?as=csv&sort=-severity&deviceId=seen");
  assert.deepEqual(
    file.text
      .split("\r\n")
      .slice(1, -1)
      .map((line) => /critical|minor|warning/.exec(line)?.[0]),
    ["critical", "minor", "warning"],
  );
  await calm("seen");
  await calm("hidden");
});

test("many anomalies are acknowledged with a comment, each with its own result; earlier acknowledgements stay", async () => {
  const [first, second] = await open("seen", "critical", "major");
  const [hidden] = await open("hidden", "minor");
  assert.equal((await acknowledge(operator, { ids: [first], comment: "Mine" })).json.acknowledged, 1);
  const nowhere = "00000000-0000-7000-8000-000000000001";
  const ids = [second, first, second!.toUpperCase(), hidden, nowhere, "no-id"];
  const { status, json } = await acknowledge(operator, { ids, comment: "All of the hall" });
  assert.equal(status, 200);
  assert.deepEqual(json, {
    acknowledged: 2,
    unchanged: 1,
    notFound: 3,
    items: [
      { id: second, outcome: "acknowledged" },
      { id: first, outcome: "unchanged" },
      { id: second!.toUpperCase(), outcome: "acknowledged" },
      { id: hidden, outcome: "not_found" },
      { id: nowhere, outcome: "not_found" },
      { id: "no-id", outcome: "not_found" },
    ],
  });
  const of = async (id: string) => (await admin.call("GET", `/anomalies/${id}`)).json;
  const { status: now, comment, acknowledgedBy } = await of(second!);
  assert.deepEqual([now, comment, acknowledgedBy], ["acknowledged", "All of the hall", `user:${operator.userId}`]);
  assert.equal((await of(first!)).comment, "Mine");
  assert.equal((await of(hidden!)).status, "open");
  await calm("seen");
  const late = await open("seen", "warning");
  await calm("seen");
  await acknowledge(operator, { ids: late });
  const seen = await of(late[0]!);
  assert.deepEqual([seen.status, seen.acknowledgedBy], ["resolved", `user:${operator.userId}`]);
  await calm("hidden");
});

test("a repetition under the same Idempotency-Key gets the first answer", async () => {
  const ids = await open("seen", "critical", "major");
  const headers = { "idempotency-key": "acknowledge-twice" };
  const first = await acknowledge(operator, { ids, comment: "Once" }, headers);
  const again = await acknowledge(operator, { ids, comment: "Once" }, headers);
  assert.deepEqual([again.json, again.status], [first.json, 200]);
  assert.equal(first.json.acknowledged, 2);
  for (const [at, id] of ["no-id", "\u0000", "\ud800"].entries()) {
    const odd = await acknowledge(operator, { ids: [id] }, { "idempotency-key": `odd-${at}` });
    assert.ok(odd.json.notFound === 1 || odd.json.error === "invalid_request", odd.text);
  }
  const other = await acknowledge(operator, { ids, comment: "Twice" }, headers);
  assert.equal(other.json.error, "idempotency_key_reused");
  await calm("seen");
});

test("operators acknowledge at most 200 anomalies at once, of devices that they see", async () => {
  const [id] = await open("seen", "critical");
  const many = Array.from({ length: 201 }, (_, at) => `id-${at}`);
  for (const body of [{ ids: many }, { ids: [] }, { ids: [id], comment: "x".repeat(2_001) }, { ids: [id], why: "x" }])
    assert.equal((await acknowledge(operator, body)).json.error, "invalid_request");
  assert.equal((await acknowledge(operator, { ids: many.slice(1) })).json.notFound, 200);
  assert.equal((await acknowledge(viewer, { ids: [id] })).json.error, "insufficient_role");
  const [hidden] = await open("hidden", "critical");
  assert.deepEqual((await listed(viewer, "status=open")).toSorted(), ["seen critical"]);
  assert.equal((await viewer.call("GET", `/anomalies/${hidden}`)).status, 404);
  assert.equal((await viewer.call("GET", `/anomalies/${id}`)).json.id, id);
  await calm("seen");
  await calm("hidden");
});

test("an acknowledged anomaly stops its further pages, as the list of its pages says", async () => {
  const { groups, devices } = server.app;
  const escalation = [
    { afterMinutes: 0, notify: "members" },
    { afterMinutes: 15, notify: "members" },
  ] as const;
  const { id: group } = await groups.createGroup(tenant.caller, {
    name: "Night watch",
    memberUserIds: [operator.userId],
    escalation: [...escalation],
  });
  await devices.changeDevice(tenant.caller, "hidden", { addGroupIds: [group] });
  const [id] = await open("hidden", "critical");
  await server.app.notifications.runDue();
  const pages = async (user: SignedIn) =>
    (await user.call("GET", `/anomalies/${id}/pages`)).json.items.map(
      ({ groupName, afterMinutes, state }: { groupName: string; afterMinutes: number; state: string }) =>
        `${groupName} ${afterMinutes} ${state}`,
    );
  assert.deepEqual(await pages(operator), ["Night watch 0 paged", "Night watch 15 due"]);
  await acknowledge(operator, { ids: [id] });
  server.clock.advance(15 * MINUTE);
  await server.app.notifications.runDue();
  assert.deepEqual(await pages(operator), ["Night watch 0 paged", "Night watch 15 stopped"]);
  assert.deepEqual(await pages(admin), ["Night watch 0 paged", "Night watch 15 stopped"]);
  assert.equal((await viewer.call("GET", `/anomalies/${id}/pages`)).status, 404, "they do not see the device");
  assert.equal((await admin.call("GET", "/anomalies/none/pages")).status, 404);
  const { json } = await operator.call("GET", `/deliveries?anomalyId=${id}`);
  assert.deepEqual(
    json.items.map(({ type, target, state }: { type: string; target: string; state: string }) => [type, target, state]),
    [["anomaly.opened", operator.email, "sent"]],
  );
});

test("anomalies are filtered by a group that the device is in now and by the rule's threshold pack", async () => {
  const { devices, rules } = server.app;
  const since = `from=${server.clock.now().toISOString()}`;
  const rule = { metric: "pressure", operator: "gt", value: 5, severity: "minor" } as const;
  const { id: other } = await rules.createThreshold(tenant.caller, { name: "Pressure", rules: [rule] });
  const { id: moved } = await devices.createDevice(tenant.caller, { id: "moved", name: "moved", groupIds: [group] });
  await assignPacks(where(), tenant.caller, moved, pack, other);
  await open("seen", "major");
  await open("hidden", "minor");
  await open("moved", "critical");
  await sendValues(where(), tenant.caller, "moved", { pressure: 9 });
  for (const [query, expected] of [
    [`groupId=${group}`, ["moved minor", "moved critical", "seen major"]],
    [`thresholdId=${other}`, ["moved minor"]],
    [`thresholdId=${pack}`, ["moved critical", "hidden minor", "seen major"]],
    [`groupId=${group}&thresholdId=${pack}&severity=critical,minor`, ["moved critical"]],
    [`groupId=${NOWHERE}`, []],
    [`thresholdId=${NOWHERE}`, []],
    ["groupId=nonsense", []],
    ["thresholdId=nonsense", []],
  ] as const)
    assert.deepEqual(await listed(admin, `${query}&${since}`), expected, query);
  assert.deepEqual(await listed(viewer, `thresholdId=${pack}&${since}`), ["moved critical", "seen major"]);
  await devices.changeDevice(tenant.caller, moved, { removeGroupIds: [group] });
  assert.deepEqual(await listed(admin, `groupId=${group}&${since}`), ["seen major"]);
});
