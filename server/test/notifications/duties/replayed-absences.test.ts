import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { type NotificationEnvironment, startEnvironment } from "../environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

const ALL_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

test("a replay counts an absence until it was ended, in existing shifts and in new ones", async () => {
  const { newTenant, user, groupOnDuty, server } = given;
  const { app, clock } = server;
  const tenant = await newTenant();
  const [ada, bob] = [await user(tenant, "ada"), await user(tenant, "bob")];
  const group = await groupOnDuty(tenant, { escalation: [{ afterMinutes: 0, notify: "shift" }] }, [ada.id]);
  const from = clock.now();
  const [startsAt, endsAt] = [addMs(from, HOUR), addMs(from, 3 * HOUR)];
  const { id } = await app.notifications.createAbsence(tenant.caller, { userId: ada.id, startsAt, endsAt });
  const open = async () => {
    const anomalies = await given.anomalies(tenant, [group.id], 1, { severity: "major" });
    const [anomaly] = await anomalies.open();
    await given.pass(MINUTE);
    return anomaly!.id;
  };
  await given.pass(90 * MINUTE);
  const whileAway = await open();
  await given.pass(29 * MINUTE);
  await app.notifications.endAbsence(tenant.caller, id);
  const whenBack = await open();

  const people = async (anomalyId: string) =>
    (await given.log(tenant, anomalyId)).flatMap(({ userId }) => (userId === tenant.admin.id ? [] : userId));
  assert.deepEqual([await people(whileAway), await people(whenBack)], [[], [ada.id]], "the pages that were sent");
  const replay = (change: object) =>
    app.notifications.replayPaging(tenant.caller, group.id, { from, to: clock.now(), ...change });
  const { present, changed, pages } = await replay({ shiftIds: group.shiftIds });
  assert.deepEqual(present, changed);
  assert.deepEqual(
    pages.map(({ anomalyId, userId, result }) => [anomalyId, userId, result]),
    [
      [whileAway, null, "nobody"],
      [whenBack, ada.id, "paged"],
    ],
  );
  assert.deepEqual([present.paged, present.unreached], [1, 1]);
  assert.deepEqual(present.gaps, [{ from: startsAt, to: addMs(from, 2 * HOUR) }]);

  const times = { timeZone: "UTC", startTime: "00:00", endTime: "00:00", daysOfWeek: ALL_DAYS };
  const both = await replay({ shifts: [{ ...times, name: "Both", userIds: [ada.id, bob.id] }] });
  const userIds = (anomalyId: string) =>
    both.pages.flatMap((page) => (page.anomalyId === anomalyId ? page.userId : [])).sort();
  assert.deepEqual([userIds(whileAway), userIds(whenBack)], [[bob.id], [ada.id, bob.id].sort()]);
  assert.deepEqual([both.changed.unreached, both.changed.gaps], [0, []]);
});
