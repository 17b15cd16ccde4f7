import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAYS_OF_WEEK } from "../../../src/groups/groups.ts";
import { HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { type NotificationEnvironment, startEnvironment } from "../environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

/** A tenant with a group that ada and bob serve in turns of a day, from the next hour on; before it is ada's. */
async function hall(edit: { tellsHandOvers?: boolean } = { tellsHandOvers: true }) {
  const tenant = await given.newTenant();
  const [ada, bob] = [await given.user(tenant, "ada"), await given.user(tenant, "bob")];
  const group = await given.groupOnDuty(tenant, {}, []);
  const { groups } = given.server.app;
  const [shiftId] = group.shiftIds;
  const next = new Date(given.server.clock.now().getTime() + HOUR).toISOString();
  await groups.updateShift(tenant.caller, shiftId!, {
    ...{ timeZone: "UTC", startTime: "00:00", endTime: "00:00", daysOfWeek: DAYS_OF_WEEK, userIds: [ada.id, bob.id] },
    rotation: {
      ...{ unit: "day", every: 1, startDate: next.slice(0, 10), handOverTime: next.slice(11, 16) },
      turns: [[bob.id], [ada.id]],
    },
  });
  await groups.updateGroup(tenant.caller, group.id, edit);
  // Processes notice the switch within a minute.
  await given.pass(MINUTE);
  return { tenant, group, ada, bob };
}

const subjects = ({ email }: { email: string }) => given.sinks.mailsTo(email).map(({ subject }) => subject);

test("when the duty passes to another, both are told once, also by two nodes at the same time", async () => {
  const { ada, bob } = await hall();
  await given.pass(30 * MINUTE);
  assert.deepEqual([subjects(ada), subjects(bob)], [[], []]);
  await given.pass(30 * MINUTE);
  const told = `[Muster] Pump hall: ${bob.email} on duty`;
  assert.deepEqual([subjects(ada), subjects(bob)], [[told], [told]]);
  for (let round = 0; round < 3; round++) await given.pass(6 * MINUTE);
  assert.deepEqual([subjects(ada), subjects(bob)], [[told], [told]]);
  await given.pass(24 * HOUR);
  const back = `[Muster] Pump hall: ${ada.email} on duty`;
  assert.deepEqual(
    [subjects(ada), subjects(bob)],
    [
      [told, back],
      [told, back],
    ],
  );
});

test("a group tells of no hand-over unless it is switched on, and none after it is switched off", async () => {
  const { tenant, group, ada } = await hall({});
  assert.equal(group.tellsHandOvers, false);
  await given.pass(HOUR);
  await given.server.app.groups.updateGroup(tenant.caller, group.id, { tellsHandOvers: true });
  await given.pass(MINUTE);
  assert.deepEqual(subjects(ada), []);
  await given.server.app.groups.updateGroup(tenant.caller, group.id, { tellsHandOvers: false });
  await given.pass(24 * HOUR);
  assert.deepEqual(subjects(ada), []);
});

test("an absence hands the duty over to nobody, and back without a message", async () => {
  const { tenant, ada, bob } = await hall();
  const { notifications } = given.server.app;
  const endsAt = new Date(given.server.clock.now().getTime() + 30 * MINUTE);
  await notifications.createAbsence(tenant.caller, { userId: ada.id, endsAt });
  await given.pass(10 * MINUTE);
  await given.pass(20 * MINUTE);
  const handed = () => [...subjects(ada), ...subjects(bob)].filter((subject) => subject.endsWith("on duty"));
  assert.deepEqual(handed(), []);
  await given.pass(HOUR);
  assert.equal(handed().length, 2);
});

test("the message waits for the end of quiet hours", async () => {
  const { tenant, ada, bob } = await hall();
  const at = (hours: number) => new Date(given.server.clock.now().getTime() + hours * HOUR).toISOString().slice(11, 16);
  await given.server.app.notifications.setOwnNotifications(
    { ...tenant.caller, actor: `user:${bob.id}`, rights: { kind: "user", userId: bob.id, role: "operator" } },
    {
      ...{ accountEmail: true, onlyOnShift: false, criticalToo: false },
      quietHours: { startTime: at(0), endTime: at(3), timeZone: "UTC" },
    },
  );
  await given.pass(HOUR);
  assert.deepEqual([subjects(ada).length, subjects(bob).length], [1, 0]);
  await given.pass(3 * HOUR);
  assert.deepEqual([subjects(ada).length, subjects(bob).length], [1, 1]);
});
