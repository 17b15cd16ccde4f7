import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../../../src/access/access.ts";
import { addMs, DAY, HOUR } from "../../../src/lib/clock.ts";
import { LIMITS } from "../../../src/lib/limits/limits.ts";
import { type NotificationEnvironment, startEnvironment } from "../environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

type User = { id: string; email: string };

/** A tenant with a group whose shift of ada and bob is always on duty, and cy, who is a member. */
async function hall() {
  const tenant = await given.newTenant();
  const [ada, bob, cy] = [
    await given.user(tenant, "ada"),
    await given.user(tenant, "bob"),
    await given.user(tenant, "cy"),
  ];
  const escalation = [{ afterMinutes: 0, notify: "shift" as const }];
  const group = await given.groupOnDuty(tenant, { escalation, memberUserIds: [cy.id] }, [ada.id, bob.id]);
  const { app } = given.server;
  const as = ({ id }: User): Caller => ({
    ...tenant.caller,
    actor: `user:${id}`,
    rights: { kind: "user", userId: id, role: "operator" },
  });
  const now = given.server.clock.now();
  const onDuty = async (hours = 0) => {
    const [duty] = await app.notifications.onCallAt(tenant.caller, addMs(now, hours * HOUR), group.id);
    return new Set(duty?.userIds);
  };
  const { open } = await given.anomalies(tenant, [group.id], 3);
  const times = { startsAt: now, endsAt: addMs(now, 2 * HOUR) };
  return { tenant, group, ada, bob, cy, as, onDuty, open, times, ...app.notifications };
}

const subjects = ({ email }: User) => given.sinks.mailsTo(email).map(({ subject }) => subject);
const outcomes = (results: PromiseSettledResult<unknown>[]) =>
  results.map((each) => (each.status === "fulfilled" ? "done" : (each.reason as { code: string }).code)).sort();

test("an override counts in pages, on call, the week and coverage, and both people are told of its start and end", async () => {
  const { tenant, group, ada, bob, cy, onDuty, open, times, ...duties } = await hall();
  const made = await duties.createOverride(tenant.caller, group.id, {
    userId: cy.id,
    replacesUserId: ada.id,
    ...times,
  });
  await given.pass(0);
  const taken = `[Muster] ${cy.email} takes the duty of ${ada.email} in Pump hall`;
  assert.deepEqual([subjects(ada), subjects(bob), subjects(cy)], [[taken], [], [taken]]);
  assert.deepEqual([await onDuty(), await onDuty(2)], [new Set([cy.id, bob.id]), new Set([ada.id, bob.id])]);
  const { now } = await duties.onCallOfGroup(tenant.caller, group.id);
  assert.deepEqual(new Set(now[0]!.users.map(({ email }) => email)), new Set([cy.email, bob.email]));
  await open(0, 1);
  await given.pass(0);
  assert.deepEqual([subjects(ada).length, subjects(bob).length, subjects(cy).length], [1, 1, 2]);
  const everybody = { userId: ada.id, startsAt: addMs(times.endsAt, HOUR), endsAt: addMs(times.endsAt, 2 * HOUR) };
  await duties.createOverride(tenant.caller, group.id, everybody);
  assert.deepEqual(await onDuty(3.5), new Set([ada.id]));
  const page = { skip: 0, limit: 10 };
  assert.equal((await duties.listOverrides(tenant.caller, group.id, page)).total, 2);
  await duties.deleteOverride(tenant.caller, made.id);
  await given.pass(0);
  assert.deepEqual(await onDuty(), new Set([ada.id, bob.id]));
  const ended = `[Muster] ${cy.email} no longer takes the duty of ${ada.email} in Pump hall`;
  assert.ok(subjects(ada).includes(ended) && subjects(cy).includes(ended));
  await assert.rejects(duties.deleteOverride(tenant.caller, made.id), { code: "not_found" });
});

test("nobody covers the duty that a deactivated user has taken, and coverage says so", async () => {
  const { tenant, group, cy, times, ...duties } = await hall();
  await duties.createOverride(tenant.caller, group.id, { userId: cy.id, ...times });
  const gaps = async () => (await duties.onCallOfGroup(tenant.caller, group.id)).gaps;
  assert.deepEqual(await gaps(), []);
  await given.server.app.access.deactivateUser(tenant.caller, cy.email);
  assert.deepEqual(await gaps(), [{ from: times.startsAt, to: times.endsAt }]);
});

test("a user offers a duty to a colleague, who has it from the agreement on; both are told", async () => {
  const { tenant, group, ada, bob, cy, as, onDuty, times, ...duties } = await hall();
  const offer = await duties.offerDuty(as(ada), group.id, { userId: cy.id, ...times });
  await given.pass(0);
  assert.deepEqual(subjects(cy), [`[Muster] ${ada.email} offers a duty in Pump hall`]);
  assert.deepEqual([subjects(ada), subjects(bob)], [[], []]);
  assert.deepEqual(await onDuty(), new Set([ada.id, bob.id]));
  await assert.rejects(duties.agreeToOffer(as(bob), offer.id), { code: "not_found" });
  assert.deepEqual((await duties.listOwnDuties(as(bob))).offers, []);
  assert.deepEqual(
    (await duties.listOwnDuties(as(cy))).offers.map(({ id, groupName }) => [id, groupName]),
    [[offer.id, "Pump hall"]],
  );
  await duties.agreeToOffer(as(cy), offer.id);
  await given.pass(0);
  const taken = `[Muster] ${cy.email} takes the duty of ${ada.email} in Pump hall`;
  assert.deepEqual([subjects(ada), subjects(cy).at(-1)], [[taken], taken]);
  assert.deepEqual(await onDuty(), new Set([cy.id, bob.id]));
  const own = await duties.listOwnDuties(as(cy));
  // The shift changes at midnight, so the hours may be two duties.
  assert.deepEqual([own.duties[0]?.startsAt, own.duties.at(-1)?.endsAt], [times.startsAt, times.endsAt]);
  const { items } = await given.server.app.access.listAdminActs(tenant.caller, { target: offer.id, skip: 0, limit: 5 });
  assert.deepEqual(
    items.map(({ act, actor }) => [act, actor]),
    [
      ["duty-override.agree", `user:${cy.id}`],
      ["duty-override.offer", `user:${ada.id}`],
    ],
  );
});

test("an offer is withdrawn by its user or declined by the colleague, and changes nothing", async () => {
  const { group, ada, bob, cy, as, onDuty, times, ...duties } = await hall();
  const first = await duties.offerDuty(as(ada), group.id, { userId: cy.id, ...times });
  await assert.rejects(duties.withdrawOffer(as(bob), first.id), { code: "not_found" });
  await duties.withdrawOffer(as(cy), first.id);
  await given.pass(0);
  assert.deepEqual(subjects(ada), [`[Muster] ${cy.email} no longer takes the duty of ${ada.email} in Pump hall`]);
  const second = await duties.offerDuty(as(ada), group.id, times);
  await assert.rejects(duties.withdrawOffer(as(bob), second.id), { code: "not_found" });
  await duties.withdrawOffer(as(ada), second.id);
  await assert.rejects(duties.agreeToOffer(as(cy), second.id), { code: "not_found" });
  assert.deepEqual(await onDuty(), new Set([ada.id, bob.id]));
});

test("only a user of the group who is on duty offers, to a user of the group, and only so often", async () => {
  const { tenant, group, ada, cy, as, times, ...duties } = await hall();
  const dee = await given.user(tenant, "dee");
  await assert.rejects(duties.offerDuty(as(dee), group.id, times), { code: "not_found" });
  await assert.rejects(duties.offerDuty(as(cy), group.id, times), { code: "invalid_request", detail: "startsAt" });
  const toDee = duties.offerDuty(as(ada), group.id, { userId: dee.id, ...times });
  await assert.rejects(toDee, { code: "invalid_request", detail: dee.id });
  const late = { ...times, endsAt: addMs(times.startsAt, 367 * DAY) };
  await assert.rejects(duties.offerDuty(as(ada), group.id, late), { code: "invalid_request", detail: "endsAt" });
  for (let n = 0; n < LIMITS.offersOfUserPerDay.value; n++) {
    const { id } = await duties.offerDuty(as(ada), group.id, { userId: cy.id, ...times });
    await duties.withdrawOffer(as(ada), id);
  }
  await assert.rejects(duties.offerDuty(as(ada), group.id, { userId: cy.id, ...times }), { code: "rate_limited" });
});

test("of two people who agree to one offer at the same time, on two nodes, one has the duty", async () => {
  const { group, ada, bob, cy, as, onDuty, times, ...duties } = await hall();
  for (let round = 0; round < 5; round++) {
    const at = { startsAt: addMs(times.startsAt, round * 3 * HOUR), endsAt: addMs(times.endsAt, round * 3 * HOUR) };
    const { id } = await duties.offerDuty(as(ada), group.id, at);
    const results = await Promise.allSettled([
      duties.agreeToOffer(as(bob), id),
      given.second.app.notifications.agreeToOffer(as(cy), id),
    ]);
    assert.deepEqual(outcomes(results), ["done", "precondition_failed"]);
    const taker = results[0]!.status === "fulfilled" ? bob : cy;
    assert.deepEqual(await onDuty(round * 3), new Set([taker.id, bob.id]));
  }
});

test("of two overrides that overlap, made at the same time on two nodes, one is refused", async () => {
  const { tenant, group, ada, bob, cy, times, ...duties } = await hall();
  for (let round = 0; round < 5; round++) {
    const at = { startsAt: addMs(times.startsAt, round * 3 * HOUR), endsAt: addMs(times.endsAt, round * 3 * HOUR) };
    const results = await Promise.allSettled([
      duties.createOverride(tenant.caller, group.id, { userId: cy.id, replacesUserId: ada.id, ...at }),
      given.second.app.notifications.createOverride(tenant.caller, group.id, { userId: bob.id, ...at }),
    ]);
    assert.deepEqual(outcomes(results), ["already_exists", "done"]);
  }
  const next = { startsAt: times.endsAt, endsAt: addMs(times.endsAt, HOUR) };
  await duties.createOverride(tenant.caller, group.id, { userId: cy.id, replacesUserId: ada.id, ...next });
});

test("a message that waits for its user's duty is sent once the user takes a duty", async () => {
  const { tenant, group, cy, as, open, times, ...duties } = await hall();
  const { groups } = given.server.app;
  await groups.editGroup(tenant.caller, group.id, {
    escalation: [{ afterMinutes: 0, notify: "members" }],
    alwaysPages: "none",
  });
  const choices = { accountEmail: true, quietHours: null, onlyOnShift: true, criticalToo: true };
  await duties.setOwnNotifications(as(cy), choices);
  await open(0, 1);
  await given.pass(2 * 60_000);
  assert.deepEqual(subjects(cy), []);
  await duties.createOverride(tenant.caller, group.id, { userId: cy.id, ...times });
  await given.pass(0);
  assert.deepEqual(subjects(cy).filter((subject) => subject.includes("CRITICAL")).length, 1);
});
