import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, HOUR, MINUTE } from "../../../src/lib/clock.ts";
import type { TestTenant } from "../../harness/devices.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";
import { type NotificationEnvironment, startEnvironment } from "../../notifications/environment.ts";
import { BASE, choose, NONE, ok, paged, pagesTo, quietFor, refused } from "../../notifications/own-notifications.ts";

let environment: NotificationEnvironment;
let tenant: TestTenant;
let ada: SignedIn;

before(async () => {
  environment = await startEnvironment();
  tenant = await environment.newTenant();
  ada = await signIn(environment.server, tenant, "viewer");
});
after(() => environment.stop());

test("quiet hours defer a minor page until they end, the log says so, and the next step is due immediately", async () => {
  const { pass, log, server } = environment;
  const channels = [{ type: "email" as const, target: ada.email }];
  const escalation = [
    { afterMinutes: 0, notify: "shift" as const },
    { afterMinutes: 60, notify: "channels" as const },
  ];
  const { user, open } = await paged(environment, tenant, "major", { channels, escalation });
  const { quietHours } = quietFor(environment, 2);
  await choose(user, { quietHours });
  const { id } = await open();
  await pass(0);
  const kept = async () =>
    (await log(tenant, id)).map(({ target, state, deferredBy }) => [target, state, deferredBy]).sort();
  const expected = [
    [ada.email, "sent", null],
    [user.email, "deferred", "quiet_hours"],
  ].sort();
  assert.deepEqual(await kept(), expected);
  const steps = (await server.app.notifications.listPages(tenant.caller, id)).map(({ state }) => state);
  assert.deepEqual(steps, ["deferred", "paged"]);
  assert.equal((await ok(user.call("GET", `/deliveries?anomalyId=${id}`))).total, 1, "users see their own messages");
  await pass(2 * HOUR + MINUTE);
  assert.equal(pagesTo(environment, user.email).length, 1);
  assert.deepEqual(await kept(), [...expected, [user.email, "sent", null]].sort());
  await pass(DAY);
  assert.equal(pagesTo(environment, user.email).length, 1);
});

test("a deferred message is dropped after an acknowledgement, and a resolution waits for the end of quiet hours", async () => {
  const { pass, server } = environment;
  const acknowledged = await paged(environment, tenant, "major");
  await choose(acknowledged.user, quietFor(environment, 2));
  const { id } = await acknowledged.open();
  const resolved = await paged(environment, tenant, "major");
  await resolved.open();
  await pass(0);
  assert.equal(pagesTo(environment, resolved.user.email).length, 1);
  await choose(resolved.user, quietFor(environment, 2));
  await resolved.resolve();
  await server.app.anomalies.acknowledgeAnomaly(tenant.caller, id);
  await pass(HOUR);
  assert.equal(pagesTo(environment, resolved.user.email).length, 1);
  await pass(HOUR + MINUTE);
  assert.match(pagesTo(environment, resolved.user.email)[1]!.subject, /RESOLVED/);
  assert.equal(pagesTo(environment, acknowledged.user.email).length, 0);
});

test("a group decides which pages are always sent, and a user whether quiet hours apply to critical ones", async () => {
  const { pass, log } = environment;
  const outcomes: [string, boolean, string][] = [];
  for (const [alwaysPages, criticalToo] of [
    ["critical", true],
    ["none", false],
    ["none", true],
  ] as const) {
    const { user, open } = await paged(environment, tenant, "critical", { alwaysPages });
    await choose(user, { ...quietFor(environment, 2), criticalToo });
    const { id } = await open();
    await pass(0);
    outcomes.push([alwaysPages, criticalToo, (await log(tenant, id))[0]!.state]);
  }
  const { user, open, group } = await paged(environment, tenant, "major");
  const admin = await signIn(environment.server, tenant);
  assert.equal((await ok(admin.call("GET", `/groups/${group.id}`))).alwaysPages, "critical");
  await ok(admin.call("PATCH", `/groups/${group.id}`, { body: { alwaysPages: "all" } }));
  await choose(user, quietFor(environment, 2));
  const { id } = await open();
  await pass(0);
  outcomes.push(["all", false, (await log(tenant, id))[0]!.state]);
  assert.deepEqual(outcomes, [
    ["critical", true, "sent"],
    ["none", false, "sent"],
    ["none", true, "deferred"],
    ["all", false, "sent"],
  ]);
});

test("a user who wants pages on duty only is not paged as a member, and the setting is validated", async () => {
  const { pass, log, server, anomalies } = environment;
  const user = await signIn(server, tenant, "operator");
  const group = await server.app.groups.createGroup(tenant.caller, {
    name: "Members",
    memberUserIds: [user.userId],
    escalation: [{ afterMinutes: 0, notify: "members" }],
  });
  await choose(user, { onlyOnShift: true });
  const { open } = await anomalies(tenant, [group.id], 1, { severity: "minor" });
  const [anomaly] = await open();
  await pass(0);
  const [entry] = await log(tenant, anomaly!.id);
  assert.deepEqual([entry!.state, entry!.deferredBy, entry!.deferredUntil], ["deferred", "off_shift", null]);
  const hours = { startTime: "22:00", endTime: "06:00", timeZone: "Europe/Berlin" };
  for (const wrong of [{ endTime: "22:00" }, { startTime: "24:00" }, { timeZone: "Mars/Olympus" }])
    await refused(
      user.call("PUT", BASE, { body: { ...NONE, quietHours: { ...hours, ...wrong } } }),
      400,
      "invalid_request",
    );
  assert.deepEqual(await choose(user, { quietHours: hours }), { ...NONE, quietHours: hours });
});

/** Creates a deferred page to a member who wants pages on duty only, and a shift that is on duty around the clock. */
async function offDuty() {
  const { pass, log, server, anomalies } = environment;
  const { groups } = server.app;
  const user = await signIn(server, tenant, "operator");
  const escalation = [{ afterMinutes: 0, notify: "members" as const }];
  const group = await groups.createGroup(tenant.caller, { name: "Members", memberUserIds: [user.userId], escalation });
  await choose(user, { onlyOnShift: true });
  const { open } = await anomalies(tenant, [group.id], 1, { severity: "minor" });
  const { id } = (await open())[0]!;
  await pass(0);
  assert.deepEqual(
    (await log(tenant, id)).map(({ state, deferredBy }) => [state, deferredBy]),
    [["deferred", "off_shift"]],
  );
  const times = { startTime: "00:00", endTime: "00:00", timeZone: "UTC", daysOfWeek: [...DAYS] };
  return {
    user,
    groupId: group.id,
    shift: (more: object = {}) => groups.createShift(tenant.caller, { name: "Always", userIds: [], ...times, ...more }),
  };
}
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

test("a page that waits for duty is sent when its user joins a shift, or when the shift's times or the setting change", async () => {
  const { pass, server } = environment;
  const { groups } = server.app;
  const { caller } = tenant;
  type OffDuty = Awaited<ReturnType<typeof offDuty>>;
  const ways: Record<string, (duty: OffDuty) => Promise<unknown>> = {
    "a shift with the user is put on the group": async ({ user, groupId, shift }) =>
      groups.assignShift(caller, groupId, (await shift({ userIds: [user.userId] })).id),
    "the user is put on a shift of the group": async ({ user, groupId, shift }) => {
      const { id } = await shift();
      await groups.assignShift(caller, groupId, id);
      await pass(0);
      assert.deepEqual(pagesTo(environment, user.email), []);
      await groups.updateShift(caller, id, { userIds: [user.userId] });
    },
    "the shift begins earlier": async ({ user, groupId, shift }) => {
      const validFrom = new Date(server.clock.now().getTime() + 10 * DAY).toISOString().slice(0, 10);
      const { id } = await shift({ userIds: [user.userId], validFrom });
      await groups.assignShift(caller, groupId, id);
      await pass(0);
      assert.deepEqual(pagesTo(environment, user.email), []);
      await groups.updateShift(caller, id, { validFrom: null });
    },
    "the user wants pages at any time": async ({ user }) => await choose(user, {}),
  };
  for (const [way, change] of Object.entries(ways)) {
    const duty = await offDuty();
    await change(duty);
    await pass(0);
    assert.equal(pagesTo(environment, duty.user.email).length, 1, way);
    const { id } = await duty.shift({ userIds: [duty.user.userId] });
    await groups.assignShift(caller, duty.groupId, id);
    await pass(0);
    assert.equal(pagesTo(environment, duty.user.email).length, 1, `${way}: sent once`);
  }
});
