import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { NewShift } from "../../../src/groups/groups.ts";
import { addMs, DAY, HOUR } from "../../../src/lib/clock.ts";
import type { TestTenant } from "../../harness/devices.ts";
import { type NotificationEnvironment, startEnvironment } from "../environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

const ROUND_THE_CLOCK = {
  timeZone: "UTC",
  startTime: "00:00",
  endTime: "00:00",
  daysOfWeek: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
};

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/** A tenant with ada and bob, a group that pages its shifts, and what is on call at a time. */
async function hall() {
  const { app, clock } = given.server;
  const tenant: TestTenant = await given.newTenant();
  const [ada, bob] = [await given.user(tenant, "ada"), await given.user(tenant, "bob")];
  const escalation = [{ afterMinutes: 0, notify: "shift" as const }];
  const group = await app.groups.createGroup(tenant.caller, { name: "Hall", escalation });
  const shift = async (input: Partial<NewShift>) => {
    const made = await app.groups.createShift(tenant.caller, { name: "Always", ...ROUND_THE_CLOCK, ...input });
    await app.groups.assignShift(tenant.caller, group.id, made.id);
    return made;
  };
  const onCall = async (at: Date) =>
    (await app.notifications.onCallAt(tenant.caller, at, group.id)).map(({ shiftId, userIds }) => [shiftId, userIds]);
  const { open } = await given.anomalies(tenant, [group.id], 2);
  return { tenant, ada, bob, group, shift, onCall, open, now: clock.now() };
}

const mailsTo = ({ email }: { email: string }) => given.sinks.mailsTo(email).length;

test("people of a rotation are paged in their turn, and the week shows each hand-over", async () => {
  const { tenant, ada, bob, group, shift, onCall, open, now } = await hall();
  const turns = [[ada.id], [bob.id]];
  const rotation = { unit: "day" as const, every: 1, startDate: dayOf(now), handOverTime: "00:00", turns };
  const made = await shift({ rotation });
  assert.deepEqual([made.userIds, made.rotation], [[ada.id, bob.id].sort(), rotation]);
  await open(0, 1);
  await given.pass(0);
  assert.deepEqual([mailsTo(ada), mailsTo(bob)], [1, 0]);
  assert.deepEqual(await onCall(addMs(now, DAY)), [[made.id, [bob.id]]]);
  await given.pass(DAY);
  await open(1, 2);
  await given.pass(0);
  assert.deepEqual([mailsTo(ada), mailsTo(bob)], [1, 1]);
  const { app } = given.server;
  const week = await app.notifications.onCallOfGroup(tenant.caller, group.id);
  assert.deepEqual(
    week.duties.slice(0, 3).map(({ users }) => users.map(({ email }) => email)),
    [[bob.email], [ada.email], [bob.email]],
  );
  await assert.rejects(app.groups.updateShift(tenant.caller, made.id, { userIds: [ada.id] }), {
    code: "invalid_request",
    detail: "userIds",
  });
  const together = await app.groups.updateShift(tenant.caller, made.id, { rotation: null });
  assert.deepEqual([together.userIds, together.rotation], [made.userIds, null]);
});

test("only the highest layer with an active user is paged, and counts as on call", async () => {
  const { tenant, ada, bob, shift, onCall, open, now } = await hall();
  const below = await shift({ name: "Always", userIds: [ada.id] });
  const above = await shift({ name: "Specialist", userIds: [bob.id], layer: 1 });
  assert.deepEqual(await onCall(now), [[above.id, [bob.id]]]);
  await open(0, 1);
  await given.pass(0);
  assert.deepEqual([mailsTo(ada), mailsTo(bob)], [0, 1]);
  await given.server.app.groups.updateShift(tenant.caller, above.id, { userIds: [] });
  assert.deepEqual(
    (await onCall(addMs(now, HOUR))).toSorted(),
    [
      [below.id, [ada.id]],
      [above.id, []],
    ].toSorted(),
  );
  await open(1, 2);
  await given.pass(0);
  assert.deepEqual([mailsTo(ada), mailsTo(bob)], [1, 1]);
});

test("a shift that layers cut at other times in another group is listed with each group's times", async () => {
  const { tenant, ada, bob, group, shift, now } = await hall();
  const { app } = given.server;
  const day = new Date(dayOf(addMs(now, DAY)));
  const below = await shift({ userIds: [ada.id] });
  await shift({ name: "Mornings", endTime: "06:00", userIds: [bob.id], layer: 1 });
  const loose = await app.groups.createShift(tenant.caller, { name: "Loose", ...ROUND_THE_CLOCK, userIds: [bob.id] });
  const others = await Promise.all(
    ["Yard", "Roof"].map(async (name) => {
      const other = await app.groups.createGroup(tenant.caller, { name, escalation: [] });
      await app.groups.assignShift(tenant.caller, other.id, below.id);
      return other.id;
    }),
  );
  const duties = await app.notifications.onCallAt(tenant.caller, addMs(day, 12 * HOUR));
  const shown = duties.map((duty) => [duty.shiftId, duty.groupIds.toSorted(), duty.startsAt, duty.endsAt]);
  assert.deepEqual(
    new Set(shown),
    new Set([
      [below.id, [group.id], addMs(day, 6 * HOUR), addMs(day, DAY)],
      [below.id, others.toSorted(), day, addMs(day, DAY)],
      [loose.id, [], day, addMs(day, DAY)],
    ]),
  );
});
