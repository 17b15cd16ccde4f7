import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
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

async function hall(severity: "major" | "critical" = "major") {
  const { newTenant, user, groupOnDuty, anomalies, sinks, server } = given;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const group = await groupOnDuty(tenant, { escalation: STEPS }, [ada.id]);
  const storm = await anomalies(tenant, [group.id], 1, { severity });
  const subjects = () => sinks.mailsTo(ada.email).map(({ subject }) => subject);
  const inTime = (ms: number) => addMs(server.clock.now(), ms);
  return { tenant, ...storm, subjects, mails: () => subjects().length, inTime };
}

test("a snoozed anomaly escalates no further and pages again from its first step when the snooze ends", async () => {
  const { notifications } = given.server.app;
  const { tenant, open, mails, inTime } = await hall();
  const [anomaly] = await open();
  await given.pass(0);
  assert.equal(mails(), 1);
  const until = inTime(HOUR);
  assert.deepEqual(await notifications.snoozeAnomaly(tenant.caller, anomaly!.id, until), {
    snoozedUntil: until,
    mutedUntil: null,
  });
  await given.pass(30 * MINUTE);
  assert.equal(mails(), 1);
  await given.pass(30 * MINUTE);
  assert.equal(mails(), 2);
  await given.pass(15 * MINUTE);
  assert.equal(mails(), 3);
  await given.pass(DAY);
  assert.equal(mails(), 3);
});

test("a snooze that is ended pages at once, and what is resolved during a snooze pages no more", async () => {
  const { notifications } = given.server.app;
  const { tenant, open, mails, inTime, resolve } = await hall();
  const [anomaly] = await open();
  await given.pass(0);
  await notifications.snoozeAnomaly(tenant.caller, anomaly!.id, inTime(HOUR));
  await notifications.snoozeAnomaly(tenant.caller, anomaly!.id, null);
  await given.pass(0);
  assert.equal(mails(), 2);
  await notifications.snoozeAnomaly(tenant.caller, anomaly!.id, inTime(HOUR));
  await resolve();
  await given.pass(0);
  assert.equal(mails(), 3, "the resolution");
  await given.pass(2 * HOUR);
  assert.equal(mails(), 3);
});

test("two processes that page at the end of a snooze send one message", async () => {
  const { notifications } = given.server.app;
  const { tenant, open, mails, inTime } = await hall();
  const [anomaly] = await open();
  await given.pass(0);
  await notifications.snoozeAnomaly(tenant.caller, anomaly!.id, inTime(HOUR));
  given.server.clock.advance(HOUR);
  await Promise.all([notifications.runDue(), given.second.app.notifications.runDue(), notifications.runDue()]);
  await given.pass(0);
  assert.equal(mails(), 2);
});

test("a muted rule records anomalies of its device and pages nobody until the mute ends", async () => {
  const { notifications, anomalies } = given.server.app;
  const { tenant, open, resolve, mails, inTime, deviceId } = await hall();
  const [first] = await open();
  await given.pass(0);
  await notifications.muteRule(tenant.caller, first!.id, inTime(2 * HOUR));
  await resolve();
  await given.pass(0);
  assert.equal(mails(), 2, "its resolution is sent");
  await open();
  await given.pass(30 * MINUTE);
  assert.equal(mails(), 2);
  const page = { deviceId, status: "open" as const, skip: 0, limit: 10 };
  assert.equal((await anomalies.listAnomalies(tenant.caller, page)).total, 1);
  await given.pass(90 * MINUTE);
  assert.equal(mails(), 3);
});

test("openings of a rule beyond the tenant's limit within an hour fold into one page until it is calm", async () => {
  const { access } = given.server.app;
  const { tenant, open, resolve, subjects } = await hall();
  await access.updateTenant(tenant.caller, { flapsAbove: 2 });
  const opened = () => subjects().filter((each) => !/RESOLVED/.test(each));
  for (let count = 1; count <= 6; count++) {
    await open();
    await given.pass(0);
    await given.pass(2 * MINUTE);
    if (count < 6) await resolve();
    await given.pass(2 * MINUTE);
  }
  assert.equal(opened().length, 3);
  assert.match(opened()[2]!, /flaps, opened 3 times within an hour: /);
  await given.pass(HOUR);
  assert.equal(opened().length, 4, "the last opening stayed: it pages once it flaps no more");
});

test("critical openings page each time, however often", async () => {
  const { tenant, open, resolve, subjects } = await hall("critical");
  await given.server.app.access.updateTenant(tenant.caller, { flapsAbove: 2 });
  for (let count = 1; count <= 5; count++) {
    await open();
    await given.pass(0);
    await resolve();
    await given.pass(0);
  }
  assert.equal(subjects().filter((each) => !/RESOLVED/.test(each)).length, 5);
});

test("a snooze has an end within 30 days, a mute within 366, and only an open anomaly is snoozed", async () => {
  const { notifications, anomalies } = given.server.app;
  const { tenant, open, inTime } = await hall();
  const [anomaly] = await open();
  const { id } = anomaly!;
  const refused = { code: "invalid_request" };
  await assert.rejects(notifications.snoozeAnomaly(tenant.caller, id, inTime(0)), refused);
  await assert.rejects(notifications.snoozeAnomaly(tenant.caller, id, inTime(31 * DAY)), refused);
  await assert.rejects(notifications.muteRule(tenant.caller, id, inTime(367 * DAY)), refused);
  await anomalies.acknowledgeAnomaly(tenant.caller, id);
  await assert.rejects(notifications.snoozeAnomaly(tenant.caller, id, inTime(HOUR)), refused);
});
