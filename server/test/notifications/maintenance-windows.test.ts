import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, HOUR, MINUTE } from "../../src/lib/clock.ts";
import type { NewWindow } from "../../src/notifications/windows/create-window.ts";
import type { TestTenant } from "../harness/devices.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

const STEPS = [
  { afterMinutes: 0, notify: "shift" as const },
  { afterMinutes: 15, notify: "shift" as const },
];

/** A tenant with ada on duty, a device with a rule of this severity, and windows over it. */
async function hall(severity: "major" | "critical" = "major") {
  const { newTenant, user, groupOnDuty, anomalies, server, sinks } = given;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const group = await groupOnDuty(tenant, { escalation: STEPS }, [ada.id]);
  const storm = await anomalies(tenant, [group.id], 1, { severity });
  const window = (input: Partial<NewWindow> = {}) => {
    const endsAt = input.recurrence ? undefined : addMs(server.clock.now(), HOUR);
    return server.app.notifications.createWindow(tenant.caller, { name: "Firmware", covers: "all", endsAt, ...input });
  };
  return { tenant, ada, group, ...storm, window, mails: () => sinks.mailsTo(ada.email).length };
}

async function pages(tenant: TestTenant, anomalyId: string) {
  const rows = await given.server.app.notifications.listPages(tenant.caller, anomalyId);
  return rows.toSorted((a, b) => a.afterMinutes - b.afterMinutes).map(({ state, heldBy }) => heldBy ?? state);
}

test("a window records anomalies, holds back pages and escalation, and at its end what is still open pages once", async () => {
  const { tenant, window, open, mails } = await hall();
  await window();
  const [anomaly] = await open();
  await given.pass(0);
  await given.pass(20 * MINUTE);
  assert.equal(anomaly!.status, "open");
  assert.equal(mails(), 0);
  assert.deepEqual(await pages(tenant, anomaly!.id), ["window", "window"]);
  await given.pass(40 * MINUTE);
  assert.equal(mails(), 1);
  assert.deepEqual(await pages(tenant, anomaly!.id), ["paged", "window"], "the second step keeps its distance");
  await given.pass(15 * MINUTE);
  assert.equal(mails(), 2);
});

test("what is resolved within a window never pages; a resolution of an earlier page is sent", async () => {
  const quiet = await hall();
  await quiet.window();
  await quiet.open();
  await given.pass(0);
  await quiet.resolve();
  await given.pass(2 * HOUR);
  assert.equal(quiet.mails(), 0);

  const paged = await hall();
  await paged.open();
  await given.pass(0);
  await paged.window();
  await paged.resolve();
  await given.pass(0);
  assert.equal(paged.mails(), 2);
});

test("a critical page passes a window, unless the window holds it back", async () => {
  const { window, open, mails } = await hall("critical");
  await window();
  await open();
  await given.pass(0);
  assert.equal(mails(), 1);
  const strict = await hall("critical");
  await strict.window({ holdsCritical: true });
  await strict.open();
  await given.pass(0);
  assert.equal(strict.mails(), 0);
});

test("a window covers everything, a group, a type or devices, and nothing else", async () => {
  const { app } = given.server;
  for (const covers of ["group", "deviceType", "devices"] as const) {
    const mine = await hall();
    const other = await given.anomalies(mine.tenant, [mine.group.id], 1, { severity: "major" });
    const type = await app.devices.createDeviceType(mine.tenant.caller, {
      name: "Pump",
      publishTopics: ["telemetry/{deviceId}"],
    });
    const others = await app.groups.createGroup(mine.tenant.caller, { name: "Others" });
    const { deviceId } = mine;
    await app.devices.changeDevice(mine.tenant.caller, deviceId, { deviceTypeId: type.id, addGroupIds: [others.id] });
    const named = {
      group: { groupId: others.id },
      deviceType: { deviceTypeId: type.id },
      devices: { deviceIds: [deviceId] },
    };
    await mine.window({ covers, ...named[covers] });
    await mine.open();
    await given.pass(0);
    assert.equal(mine.mails(), 0, covers);
    await other.open();
    await given.pass(0);
    assert.equal(mine.mails(), 1, covers);
  }
});

test("a window that ends early, is deleted or no longer holds critical pages releases its pages at once", async () => {
  const { notifications } = given.server.app;
  const ways = [
    (tenant: TestTenant, id: string) => notifications.endWindow(tenant.caller, id),
    (tenant: TestTenant, id: string) => notifications.deleteWindow(tenant.caller, id),
    (tenant: TestTenant, id: string) => notifications.updateWindow(tenant.caller, id, { holdsCritical: false }),
  ];
  for (const way of ways) {
    const { tenant, window, open, mails } = await hall("critical");
    const { id } = await window({ holdsCritical: true });
    await open();
    await given.pass(0);
    assert.equal(mails(), 0);
    await way(tenant, id);
    await given.pass(0);
    assert.equal(mails(), 1);
    await given.pass(10 * MINUTE);
    assert.equal(mails(), 1);
    await given.pass(5 * MINUTE);
    assert.equal(mails(), 2);
  }
});

test("an extended window holds its pages until the new end, a recurring one again the next day", async () => {
  const { tenant, window, open, mails } = await hall();
  const { notifications } = given.server.app;
  const time = (at: Date) => at.toISOString().slice(11, 16);
  const now = given.server.clock.now();
  const daysOfWeek = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const times = { timeZone: "UTC", startTime: time(now), endTime: time(addMs(now, HOUR)), daysOfWeek };
  const { id, current } = await window({ recurrence: times });
  assert.ok(current);
  const { current: longer } = await notifications.extendWindow(tenant.caller, id, addMs(current.endsAt, HOUR));
  assert.deepEqual(longer, { startsAt: current.startsAt, endsAt: addMs(current.endsAt, HOUR) });
  await open();
  await given.pass(0);
  await given.pass(current.endsAt.getTime() - given.server.clock.now().getTime());
  assert.equal(mails(), 0);
  const { current: none, next } = await notifications.endWindow(tenant.caller, id);
  assert.equal(none, null);
  assert.deepEqual(next, { startsAt: addMs(current.startsAt, 24 * HOUR), endsAt: addMs(current.endsAt, 24 * HOUR) });
  await given.pass(0);
  assert.equal(mails(), 1);
});

test("pages at the end of a window leave once, however many processes end it, extend it and page at a time", async () => {
  const { notifications } = given.server.app;
  const { tenant, window, open, mails } = await hall();
  const { id } = await window();
  await open();
  await given.pass(0);
  given.server.clock.advance(30 * MINUTE);
  const until = addMs(given.server.clock.now(), HOUR);
  const page = () => given.second.app.notifications.runDue();
  await Promise.allSettled([
    notifications.endWindow(tenant.caller, id),
    page(),
    given.second.app.notifications.extendWindow(tenant.caller, id, until),
    notifications.runDue(),
    page(),
  ]);
  await given.pass(0);
  const { current } = await notifications.getWindow(tenant.caller, id);
  assert.equal(mails(), current === null ? 1 : 0);
});

test("an operator holds back pages of own groups and visible devices only", async () => {
  const { server } = given;
  const { tenant, ada, group, deviceId, window } = await hall();
  const caller = {
    ...tenant.caller,
    actor: `user:${ada.id}`,
    rights: { kind: "user" as const, userId: ada.id, role: "operator" as const, platform: false, sessionId: "s" },
  };
  const { notifications } = server.app;
  const endsAt = addMs(server.clock.now(), HOUR);
  const create = (input: Partial<NewWindow>) =>
    notifications.createWindow(caller, { name: "Mine", covers: "all", endsAt, ...input });
  await assert.rejects(create({}), { code: "insufficient_role" });
  await assert.rejects(create({ covers: "group", groupId: group.id }), { code: "insufficient_role" });
  await assert.rejects(create({ covers: "devices", deviceIds: [deviceId] }), { code: "invalid_request" });
  await server.app.groups.setGroupMembers(tenant.caller, group.id, [ada.id]);
  const mine = await create({ covers: "devices", deviceIds: [deviceId] });
  assert.deepEqual(mine.deviceIds, [deviceId]);
  const { id } = await window();
  await assert.rejects(notifications.endWindow(caller, id), { code: "insufficient_role" });
  const { items } = await notifications.listWindows(caller, { deviceId, skip: 0, limit: 10 });
  assert.deepEqual(items.map((each) => each.id).toSorted(), [mine.id, id].toSorted());
});

test("a window names what it covers, ends in the future, and lasts at most 92 days", async () => {
  const { window } = await hall();
  const now = given.server.clock.now();
  const wrong: Partial<NewWindow>[] = [
    { covers: "group" },
    { covers: "all", deviceIds: ["x"] },
    { covers: "group", groupId: "00000000-0000-7000-8000-000000000002" },
    { covers: "devices", deviceIds: ["no-such-device"] },
    { endsAt: now },
    { endsAt: addMs(now, 93 * 24 * HOUR) },
    { startsAt: addMs(now, HOUR), endsAt: addMs(now, MINUTE) },
    { endsAt: null },
    { recurrence: { timeZone: "Mars/Base", startTime: "08:00", endTime: "09:00", daysOfWeek: ["mon"] } },
  ];
  for (const input of wrong) await assert.rejects(window(input), { code: "invalid_request" }, JSON.stringify(input));
});
