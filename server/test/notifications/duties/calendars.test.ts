import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import ICAL from "ical.js";
import type { Caller, Role } from "../../../src/access/access.ts";
import { addMs, DAY, HOUR, MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { LIMITS } from "../../../src/lib/limits/limits.ts";
import { calendarText } from "../../../src/notifications/feeds/calendar.ts";
import { https } from "../../harness/http/https.ts";
import { type NotificationEnvironment, startEnvironment } from "../environment.ts";

const ALL_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

/** A tenant with a group whose shift is on duty around the clock in Berlin, of ada; bob is a member. */
async function hall() {
  const tenant = await given.newTenant();
  const [ada, bob] = [await given.user(tenant, "ada"), await given.user(tenant, "bob")];
  const escalation = [{ afterMinutes: 0, notify: "shift" as const }];
  const group = await given.groupOnDuty(tenant, { escalation, memberUserIds: [bob.id] }, [ada.id]);
  const as = ({ id }: { id: string }, role: Role = "operator"): Caller => ({
    ...tenant.caller,
    actor: `user:${id}`,
    rights: { kind: "user", userId: id, role },
  });
  return { tenant, group, ada, bob, as, now: given.server.clock.now(), ...given.server.app.notifications };
}

const get = (url: string, method = "GET") =>
  https(given.server.httpUrl + new URL(url).pathname, { ca: given.server.ca, method });

/** Returns the events of a calendar, as a foreign parser reads them. */
function eventsOf(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    return {
      uid: event.uid,
      summary: event.summary,
      people: event.description,
      startsAt: event.startDate.toJSDate(),
      endsAt: event.endDate.toJSDate(),
    };
  });
}

const toSecond = (at: Date) => new Date(Math.floor(at.getTime() / SECOND) * SECOND);
const timesOf = (duties: readonly { startsAt: Date; endsAt: Date }[]) =>
  duties.map(({ startsAt, endsAt }) => [toSecond(startsAt), toSecond(endsAt)]);

test("the events of a calendar equal the user's duties, with overrides and absences", async () => {
  const { tenant, group, ada, bob, as, now, ...duties } = await hall();
  await duties.createOverride(tenant.caller, group.id, {
    ...{ userId: bob.id, replacesUserId: ada.id, startsAt: addMs(now, DAY), endsAt: addMs(now, 2 * DAY) },
  });
  await duties.createOwnAbsence(as(ada), { startsAt: addMs(now, 3 * DAY), endsAt: addMs(now, 4 * DAY) });
  const { url } = await duties.createFeed(as(ada));
  const { status, headers, text } = await get(url);
  assert.equal(status, 200);
  assert.match(String(headers["content-type"]), /^text\/calendar; charset=utf-8/);
  assert.match(String(headers["cache-control"]), /^private/);
  const until = addMs(now, 28 * DAY);
  const events = eventsOf(text).filter(({ startsAt, endsAt }) => endsAt > now && startsAt < until);
  const { duties: mine } = await duties.listOwnDuties(as(ada));
  assert.ok(mine.length > 28);
  assert.deepEqual(timesOf(events), timesOf(mine));
  assert.equal(new Set(events.map(({ uid }) => uid)).size, events.length);
  assert.equal(events[0]!.summary, "On call: Pump hall, Always");
  const [ofBob] = eventsOf((await get((await duties.createFeed(as(bob))).url)).text);
  assert.deepEqual(ofBob!.startsAt, toSecond(addMs(now, DAY)));
  // That of the group has the duties of all, and those that nobody has.
  const ofGroup = eventsOf((await get((await duties.createFeed(as(bob), group.id)).url)).text);
  const names = new Set(ofGroup.map(({ people }) => people));
  assert.deepEqual(names, new Set([ada.email, bob.email, "Nobody is on duty."]));
});

test("an address serves until it is renewed or ended, by its user or an admin", async () => {
  const { tenant, group, bob, as, ...duties } = await hall();
  const first = await duties.createFeed(as(bob), group.id);
  const second = await duties.createFeed(as(bob), group.id);
  assert.equal(second.id, first.id);
  assert.notEqual(second.url, first.url);
  assert.match(second.url, /\/calendar\/[\w-]{43}\.ics$/);
  assert.deepEqual([(await get(first.url)).status, (await get(second.url)).status], [404, 200]);
  assert.equal((await get(second.url, "HEAD")).status, 200);
  assert.equal((await get(second.url, "POST")).status, 405);
  const { url: _, ...shown } = second;
  assert.deepEqual(await duties.listFeeds(as(bob)), [shown]);
  const { ada } = await hall();
  await assert.rejects(duties.deleteFeed(as(ada), second.id), { code: "not_found" });
  await duties.deleteFeed(as(tenant.admin, "admin"), second.id);
  assert.equal((await get(second.url)).status, 404);
});

test("an address ends when its user is deactivated or leaves the group, and does not come back", async () => {
  const { tenant, group, ada, bob, as, ...duties } = await hall();
  const { access, groups } = given.server.app;
  const [ofAda, ofBob] = [await duties.createFeed(as(ada)), await duties.createFeed(as(bob), group.id)];
  await access.deactivateUser(tenant.caller, ada.email);
  await groups.setGroupMembers(tenant.caller, group.id, []);
  const both = async () => [(await get(ofAda.url)).status, (await get(ofBob.url)).status];
  assert.deepEqual(await both(), [404, 404]);
  await duties.prune();
  await access.reactivateUser(tenant.caller, ada.email);
  await groups.setGroupMembers(tenant.caller, group.id, [bob.id]);
  assert.deepEqual(await both(), [404, 404]);
  const stranger = await hall();
  await assert.rejects(stranger.createFeed(stranger.as(stranger.ada), group.id), { code: "not_found" });
});

test("a group's calendar is for its people and admins, and no audit, log or table has the address", async () => {
  const { tenant, group, ada, as, ...duties } = await hall();
  const dee = await given.user(tenant, "dee");
  await assert.rejects(duties.createFeed(as(dee), group.id), { code: "not_found" });
  const feed = await duties.createFeed(as(ada), group.id);
  const token = /([\w-]{43})\.ics$/.exec(feed.url)![1]!;
  const { items } = await given.server.app.access.listAdminActs(tenant.caller, { target: feed.id, skip: 0, limit: 5 });
  assert.deepEqual([items[0]?.act, JSON.stringify(items).includes(token)], ["duty-feed.create", false]);
  const rows = await given.server.app.database.db.selectFrom("duty_feeds").selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(token));
  assert.equal((await get(feed.url)).status, 200);
  assert.ok(!given.server.logs.join("\n").includes(token));
});

test("of two renewals of an address at the same time, on two nodes, one is the address", async () => {
  const { ada, as } = await hall();
  for (let round = 0; round < 5; round++) {
    const nodes = [given.server, given.second];
    const made = await Promise.all(nodes.map(({ app }) => app.notifications.createFeed(as(ada))));
    const answers = await Promise.all(made.map(({ url }) => get(url)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
  }
});

test("an address may ask for calendars only so often, whatever it asks for", async () => {
  given.server.clock.advance(MINUTE);
  const ask = async () => (await get(`https://x/calendar/${"A".repeat(43)}.ics`)).status;
  const most = LIMITS.calendarRequests.value;
  for (let n = 0; n < most; n++) assert.equal(await ask(), 404);
  assert.equal(await ask(), 429);
  given.server.clock.advance(MINUTE);
  assert.equal(await ask(), 404);
});

test("a foreign parser reads back the duties of any calendar, whatever names it has", async () => {
  const at = fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2030-01-01") }).map((ms) => new Date(ms));
  const name = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });
  const person = fc.record({ id: fc.uuid(), email: fc.emailAddress() });
  const duty = fc
    .record({ startsAt: at, hours: fc.integer({ min: 1, max: 25 }), shiftName: name, groupName: name })
    .chain(({ hours, ...rest }) =>
      fc.record({ groupId: fc.uuid(), shiftId: fc.uuid(), users: fc.array(person, { maxLength: 5 }) }).map((ids) => ({
        ...{ ...rest, ...ids, endsAt: addMs(rest.startsAt, hours * HOUR) },
      })),
    );
  await fc.assert(
    fc.asyncProperty(fc.array(duty, { maxLength: 5 }), name, fc.boolean(), at, async (duties, title, own, now) => {
      const text = await calendarText({ name: title, own, duties, now, baseUrl: "https://muster.example" });
      for (const line of text.split("\r\n")) assert.ok(Buffer.byteLength(line) <= 75, line);
      const events = eventsOf(text);
      // UTC means the same instant in every zone, over every change of the clock.
      assert.equal(text.match(/^DT(START|END):\d{8}T\d{6}Z$/gm)?.length ?? 0, 2 * duties.length);
      assert.deepEqual(timesOf(events), timesOf(duties));
      assert.deepEqual(
        events.map(({ people }) => people),
        duties.map(({ users }) => users.map(({ email }) => email).join("\n") || "Nobody is on duty."),
      );
    }),
    { numRuns: 200 },
  );
});

test("a calendar names few of many people, and a tenant's calendars wait for each other", async () => {
  const { tenant, group, ada, as, ...duties } = await hall();
  given.server.clock.advance(MINUTE);
  const { access, groups } = given.server.app;
  const userIds = [ada.id];
  for (let n = 0; n < 25; n++) userIds.push((await given.user(tenant, `person-${n}`)).id);
  const days = [...ALL_DAYS];
  const times = { timeZone: "Europe/Berlin", startTime: "08:00", endTime: "20:00", daysOfWeek: days };
  for (let n = 0; n < 25; n++) {
    const shift = await groups.createShift(tenant.caller, { ...times, name: `Shift ${n}`, userIds });
    await groups.assignShift(tenant.caller, group.id, shift.id);
  }
  const { url } = await duties.createFeed(as(ada), group.id);
  const events = eventsOf((await get(url)).text);
  assert.equal(events.length, 2_000);
  assert.equal(events.filter(({ people }) => people.endsWith("\nand 6 more")).length > 1_000, true);
  const answers = await Promise.all(Array.from({ length: 14 }, () => get(url)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 429]);
  await access.deactivateUser(tenant.caller, ada.email);
  assert.equal((await get(url)).status, 404);
});
