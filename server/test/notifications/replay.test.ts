import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { addMs, DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

const SHIFT = { afterMinutes: 0, notify: "shift" as const };

/** A tenant with ada on duty, bob as a further member, and a function that replays the time since. */
async function plant(escalation = [SHIFT, { afterMinutes: 15, notify: "members" as const }]) {
  const { newTenant, user, groupOnDuty, server } = given;
  const tenant = await newTenant();
  const [ada, bob] = [await user(tenant, "ada"), await user(tenant, "bob")];
  const group = await groupOnDuty(tenant, { escalation, memberUserIds: [ada.id, bob.id] }, [ada.id]);
  const { replayPaging } = server.app.notifications;
  const from = server.clock.now();
  const replay = (change: Partial<Parameters<typeof replayPaging>[2]> = {}) =>
    replayPaging(tenant.caller, group.id, { from, to: addMs(from, 10 * DAY), ...change });
  return { tenant, ada, bob, group, from, replay };
}

/** Describes pages by the five minutes in which they are sent: so the test lets time pass. */
function inFives(
  from: Date,
  pages: readonly { at: Date; anomalyId: string | null; userId: string | null }[],
): string[] {
  const five = (at: Date) => Math.round((at.getTime() - from.getTime()) / (5 * MINUTE));
  return pages.map(({ at, anomalyId, userId }) => `${five(at)} ${anomalyId} ${userId}`).sort();
}

test("under its present configuration a group's replay lists the pages that were sent", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        fc.nat(8).map((five) => 5 * five),
        { minLength: 1, maxLength: 3 },
      ),
      fc.array(fc.constantFrom("shift" as const, "members" as const), { minLength: 3, maxLength: 3 }),
      fc.array(fc.record({ pause: fc.nat(9), act: fc.constantFrom("open", "end", "acknowledge") }), {
        minLength: 2,
        maxLength: 8,
      }),
      fc.boolean(),
      fc.boolean(),
      async (minutes, notify, acts, hasWindow, isAbsent) => {
        const steps = minutes.sort((a, b) => a - b).map((after, at) => ({ afterMinutes: after, notify: notify[at]! }));
        const { tenant, ada, group, from, replay } = await plant(steps);
        const { app } = given.server;
        const away = { startsAt: addMs(from, 12 * MINUTE), endsAt: addMs(from, 42 * MINUTE) };
        if (isAbsent) await app.notifications.createAbsence(tenant.caller, { userId: ada.id, ...away });
        const ends = { startsAt: addMs(from, 20 * MINUTE), endsAt: addMs(from, 50 * MINUTE) };
        if (hasWindow)
          await app.notifications.createWindow(tenant.caller, {
            name: "Works",
            covers: "group",
            groupId: group.id,
            ...ends,
          });
        const open: { id: string; resolve: () => Promise<void> }[] = [];
        for (const { pause, act } of acts) {
          for (let five = 0; five < pause; five++) await given.pass(5 * MINUTE);
          // Otherwise a step and the end of its anomaly may be at the same instant.
          await given.pass(1);
          if (act === "open") {
            const { open: begin, resolve } = await given.anomalies(tenant, [group.id], 1, { severity: "major" });
            const [anomaly] = await begin();
            open.push({ id: anomaly!.id, resolve });
          } else if (open.length > 0) {
            const { id, resolve } = open.shift()!;
            if (act === "end") await resolve();
            else await app.anomalies.acknowledgeAnomaly(tenant.caller, id);
          }
          await given.pass(0);
        }
        await given.pass(5 * MINUTE);
        const { pages, present, changed } = await replay();
        assert.deepEqual(present, changed);
        // The last resort, which mails the admin, is not replayed.
        const sent = (await given.log(tenant)).filter(
          ({ type, userId }) => type === "anomaly.opened" && userId !== tenant.admin.id,
        );
        const log = sent.map(({ createdAt, ...page }) => ({ ...page, at: createdAt }));
        const replayed = pages.filter(({ result }) => result === "paged");
        assert.deepEqual(inFives(from, replayed), inFives(from, log));
      },
    ),
    { numRuns: 3, endOnFailure: true },
  );
});

test("a replay shows whom another escalation, other shifts and a window would have paged, and how often at night", async () => {
  const { tenant, ada, bob, group, from, replay } = await plant();
  const { clock, app } = given.server;
  const night = nextMidnight(from);
  clock.advance(night.getTime() - clock.now().getTime());
  const { open, resolve } = await given.anomalies(tenant, [group.id], 1, { severity: "major" });
  await open();
  clock.advance(HOUR);
  await given.pass(0);
  await resolve();
  await given.pass(MINUTE);

  const { present, changed, anomalies, cut } = await replay({ escalation: [{ afterMinutes: 120, notify: "shift" }] });
  assert.deepEqual([anomalies, cut], [1, false]);
  const counts = ({ pages, pagesAtNight, paged, unreached, held }: typeof present) => [
    pages,
    pagesAtNight,
    paged,
    unreached,
    held,
  ];
  assert.deepEqual(counts(present), [3, 3, 1, 0, 0]);
  assert.deepEqual(present.people, [
    { userId: ada.id, pages: 2, pagesAtNight: 2, nights: 1 },
    { userId: bob.id, pages: 1, pagesAtNight: 1, nights: 1 },
  ]);
  assert.equal(present.medianSeconds, 0);
  assert.deepEqual(counts(changed), [0, 0, 0, 0, 0], "it had ended before the step");

  const days = { name: "Days", timeZone: "Europe/Berlin", startTime: "08:00", endTime: "20:00" };
  const shifts = [{ ...days, daysOfWeek: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], userIds: [bob.id] }];
  const byDay = await replay({ escalation: [SHIFT], shifts });
  assert.deepEqual(counts(byDay.changed), [0, 0, 0, 1, 0], "nobody is on duty at night");
  assert.equal(byDay.pages[0]?.result, "nobody");
  assert.ok(byDay.changed.uncoveredHours > 0);
  assert.deepEqual(byDay.changed.gaps.length > 0, true);

  const around = { startsAt: addMs(night, -HOUR), endsAt: addMs(night, 2 * HOUR) };
  const { changed: inPeriod } = await replay({ escalation: [{ afterMinutes: 0, notify: "members" }] });
  assert.equal(inPeriod.pages, 2);
  await runSql(
    app.database.db,
    "INSERT INTO absences (id, tenant_id, user_id, starts_at, ends_at, note, created_at, created_by) VALUES ($1, $2, $3, $4, $5, '', $4, 'system')",
    [randomUUID(), tenant.caller.tenantId, bob.id, around.startsAt, around.endsAt],
  );
  const { changed: away } = await replay({ escalation: [{ afterMinutes: 0, notify: "members" }] });
  assert.deepEqual(away.people, [{ userId: ada.id, pages: 1, pagesAtNight: 1, nights: 1 }], "bob was away");

  const windows = [{ startsAt: addMs(night, -HOUR), endsAt: addMs(night, 3 * HOUR) }];
  assert.deepEqual(counts((await replay({ windows })).changed), [0, 0, 0, 0, 1], "it ended within the window");
  const critical = await given.anomalies(tenant, [group.id]);
  await critical.open();
  clock.advance(MINUTE);
  assert.equal((await replay({ windows: [{ ...windows[0]!, endsAt: addMs(night, DAY) }] })).changed.paged, 1);
  assert.equal((await app.notifications.listDeliveries(tenant.caller, { skip: 0, limit: 1 })).items.length, 1);
});

test("a replay refuses a future or endless period, a window without an end, and users and shifts that do not exist", async () => {
  const { group, from, replay } = await plant();
  const other = await plant();
  given.server.clock.advance(HOUR);
  const refused = (change: Parameters<typeof replay>[0], detail: string) =>
    assert.rejects(replay(change), { code: "invalid_request", detail });
  await refused({ from: addMs(from, DAY) }, "from");
  await refused({ to: from }, "from");
  await refused({ to: addMs(from, 100 * DAY) }, "to");
  await refused({ windows: [{ startsAt: from }] }, "windows.0");
  await refused({ shiftIds: [group.id] }, group.id);
  await refused({ shiftIds: other.group.shiftIds }, other.group.shiftIds[0]!);
  const times = { timeZone: "UTC", startTime: "08:00", endTime: "20:00", daysOfWeek: ["mon"] };
  await refused({ shifts: [{ ...times, name: "Days", userIds: [other.ada.id] }] }, other.ada.id);
});

/** Returns the next 01:00 in Berlin that is at least a day away. */
function nextMidnight(from: Date): Date {
  for (let at = addMs(from, DAY); ; at = addMs(at, 10 * MINUTE)) {
    const local = at.toLocaleTimeString("en-GB", { timeZone: "Europe/Berlin" });
    if (local.startsWith("01:")) return at;
  }
}
