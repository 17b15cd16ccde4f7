import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller, Role } from "../../../src/access/access.ts";
import { addMs, DAY, HOUR } from "../../../src/lib/clock.ts";
import { LIMITS } from "../../../src/lib/limits/limits.ts";
import { type NotificationEnvironment, startEnvironment } from "../environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

/** A tenant with a group whose shift of ada is always on duty, and bob, who is a member and paged an hour later. */
async function hall() {
  const tenant = await given.newTenant();
  const [ada, bob] = [await given.user(tenant, "ada"), await given.user(tenant, "bob")];
  const escalation = [
    { afterMinutes: 0, notify: "shift" as const },
    { afterMinutes: 60, notify: "members" as const },
  ];
  const group = await given.groupOnDuty(tenant, { escalation, memberUserIds: [bob.id] }, [ada.id]);
  const { app, clock } = given.server;
  const as = ({ id }: { id: string }, role: Role = "operator"): Caller => ({
    ...tenant.caller,
    actor: `user:${id}`,
    rights: { kind: "user", userId: id, role },
  });
  const { open } = await given.anomalies(tenant, [group.id], 3);
  const now = clock.now();
  const onDuty = async (hours = 0) =>
    (await app.notifications.onCallAt(tenant.caller, addMs(now, hours * HOUR), group.id)).flatMap(
      ({ userIds }) => userIds,
    );
  return { tenant, group, ada, bob, as, open, now, onDuty, ...app.notifications };
}

const subjects = ({ email }: { email: string }) => given.sinks.mailsTo(email).map(({ subject }) => subject);
const pages = (user: { email: string }) => subjects(user).filter((subject) => subject.includes("CRITICAL")).length;

test("an absent user is neither on duty nor paged, and the page escalates at once to those who are present", async () => {
  const { ada, bob, as, open, now, onDuty, ...duties } = await hall();
  await duties.createOwnAbsence(as(ada), { endsAt: addMs(now, 2 * HOUR) });
  assert.deepEqual([await onDuty(), await onDuty(2)], [[], [ada.id]]);
  await open(0, 1);
  await given.pass(0);
  assert.deepEqual([pages(ada), pages(bob)], [0, 1]);
  await given.pass(2 * HOUR);
  await open(1, 2);
  await given.pass(0);
  assert.equal(pages(ada), 1);
});

test("an absent member is not paged, and coverage counts the hours in which all are absent", async () => {
  const { tenant, group, ada, bob, as, now, ...duties } = await hall();
  await duties.createOwnAbsence(as(bob), { endsAt: addMs(now, 6 * HOUR) });
  const gaps = async () => (await duties.onCallOfGroup(tenant.caller, group.id)).gaps;
  assert.deepEqual(await gaps(), []);
  await duties.createOwnAbsence(as(ada), { startsAt: addMs(now, HOUR), endsAt: addMs(now, 3 * HOUR) });
  assert.deepEqual(await gaps(), [{ from: addMs(now, HOUR), to: addMs(now, 3 * HOUR) }]);
});

test("the admins of a group that loses cover are told how long, and the list warns beside the absence", async () => {
  const { tenant, group, ada, bob, as, now, ...duties } = await hall();
  const [startsAt, endsAt] = [addMs(now, HOUR), addMs(now, 25 * HOUR)];
  const made = await duties.createOwnAbsence(as(ada), { startsAt, endsAt, note: "Dentist" });
  const lost = { groupId: group.id, groupName: group.name, hours: 24 };
  assert.deepEqual(
    made.uncovered.map(({ startsAt: _, endsAt: __, ...rest }) => rest),
    [lost],
  );
  await given.pass(0);
  assert.deepEqual(subjects(tenant.admin), [`[Muster] Nobody is on duty in Pump hall while ${ada.email} is absent`]);
  assert.deepEqual([subjects(ada), subjects(bob)], [[], []]);
  const page = { skip: 0, limit: 10 };
  const { items } = await duties.listAbsences(tenant.caller, group.id, page);
  assert.deepEqual(items, [made]);
  const ofBob = await duties.listAbsences(as(bob), group.id, page);
  assert.deepEqual([ofBob.items[0]!.note, ofBob.items[0]!.uncovered[0]!.hours], [null, 24]);
  assert.deepEqual(await duties.listOwnAbsences(as(ada)), [made]);
  // Somebody takes the duty.
  await duties.createOverride(tenant.caller, group.id, { userId: bob.id, replacesUserId: ada.id, startsAt, endsAt });
  assert.deepEqual((await duties.listOwnAbsences(as(ada)))[0]!.uncovered, []);
});

test("an admin records and ends an absence of another, who is told; the audit has no note", async () => {
  const { tenant, ada, bob, as, now, onDuty, ...duties } = await hall();
  const made = await duties.createAbsence(tenant.caller, { userId: ada.id, endsAt: addMs(now, DAY), note: "Flu" });
  await given.pass(0);
  assert.deepEqual(subjects(ada), [`[Muster] ${ada.email} is absent: no pages, no duties`]);
  await assert.rejects(duties.endOwnAbsence(as(bob), made.id), { code: "not_found" });
  await given.pass(HOUR);
  await duties.endAbsence(tenant.caller, made.id);
  await given.pass(0);
  assert.equal(subjects(ada).at(-1), `[Muster] The absence of ${ada.email} is ended`);
  assert.deepEqual([await onDuty(0), await onDuty(1)], [[], [ada.id]]);
  await assert.rejects(duties.endAbsence(tenant.caller, made.id), { code: "not_found" });
  const { items } = await given.server.app.access.listAdminActs(tenant.caller, { target: made.id, skip: 0, limit: 5 });
  assert.deepEqual(
    items.map(({ act }) => act),
    ["absence.end", "absence.create"],
  );
  assert.ok(!JSON.stringify(items).includes("Flu"));
});

test("a message that waits for quiet hours to end waits on while its user is absent", async () => {
  const { tenant, group, bob, as, open, now, ...duties } = await hall();
  const { groups } = given.server.app;
  await groups.editGroup(tenant.caller, group.id, {
    escalation: [{ afterMinutes: 0, notify: "members" }],
    alwaysPages: "none",
  });
  const choices = { accountEmail: true, quietHours: null, onlyOnShift: true, criticalToo: true };
  await duties.setOwnNotifications(as(bob), choices);
  await open(0, 1);
  await given.pass(0);
  const absence = await duties.createOwnAbsence(as(bob), { endsAt: addMs(now, DAY) });
  await duties.setOwnNotifications(as(bob), { ...choices, onlyOnShift: false });
  await given.pass(HOUR);
  assert.equal(pages(bob), 0);
  await duties.endOwnAbsence(as(bob), absence.id);
  await given.pass(0);
  assert.equal(pages(bob), 1);
});

test("absences have an end, in the future, and a user only so many, also on two nodes", async () => {
  const { tenant, ada, as, now, ...duties } = await hall();
  const own = (startsAt: Date, endsAt: Date) => duties.createOwnAbsence(as(ada), { startsAt, endsAt });
  await assert.rejects(own(now, now), { code: "invalid_request", detail: "endsAt" });
  await assert.rejects(own(addMs(now, 2 * DAY), addMs(now, DAY)), { code: "invalid_request", detail: "endsAt" });
  await assert.rejects(own(now, addMs(now, 732 * DAY)), { code: "invalid_request", detail: "endsAt" });
  const ofNobody = duties.createAbsence(tenant.caller, { userId: "nobody", endsAt: addMs(now, DAY) });
  await assert.rejects(ofNobody, { code: "invalid_request", detail: "nobody" });
  const most = LIMITS.absencesOfUser.value;
  for (let n = 1; n < most; n++) await own(addMs(now, n * DAY), addMs(now, n * DAY + HOUR));
  const last = { endsAt: addMs(now, HOUR) };
  const results = await Promise.allSettled([
    duties.createOwnAbsence(as(ada), last),
    given.second.app.notifications.createOwnAbsence(as(ada), last),
  ]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

test("a user who records and removes absences again and again tells the admins only so often", async () => {
  const { tenant, ada, as, now, ...duties } = await hall();
  const own = { startsAt: addMs(now, HOUR), endsAt: addMs(now, DAY) };
  const most = LIMITS.absencesOfUser.value;
  for (let n = 0; n < most; n++) {
    const { id } = await duties.createOwnAbsence(as(ada, "viewer"), own);
    await duties.endOwnAbsence(as(ada, "viewer"), id);
    await assert.rejects(duties.endOwnAbsence(as(ada, "viewer"), id), { code: "not_found" });
  }
  assert.deepEqual(await duties.listOwnAbsences(as(ada)), []);
  const full = { code: "invalid_request", message: `A user has at most ${most} absences.` };
  await assert.rejects(duties.createOwnAbsence(as(ada, "viewer"), own), full);
  const asAdmin = { userId: ada.id, endsAt: addMs(now, DAY) };
  await assert.rejects(duties.createAbsence(tenant.caller, asAdmin), full);
});
