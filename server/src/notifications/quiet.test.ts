import assert from "node:assert/strict";
import { test } from "node:test";
import { deferral, type QuietChoices } from "./quiet.ts";
import { dutiesAt } from "./roster/personal-duty.ts";
import type { Roster, RosterShift } from "./roster/roster.ts";

const NIGHT = { startTime: "22:00", endTime: "07:00", timeZone: "Europe/Berlin" };
const CHOICES: QuietChoices = { quietHours: NIGHT, onlyOnShift: false, criticalToo: false };
/** A shift on Mondays, 08:00 to 16:00. */
const SHIFT: RosterShift = {
  id: "s",
  name: "Mondays",
  timeZone: "UTC",
  startTime: "08:00",
  endTime: "16:00",
  daysOfWeek: ["mon"],
  validFrom: null,
  validUntil: null,
  layer: 0,
  rotation: null,
  users: [{ id: "ada", email: "ada@acme.example" }],
};
const dutyOn = (roster: Roster) => (now: Date) => () => dutiesAt(now)(roster, "ada");
const NEVER = dutyOn({ shifts: [], overrides: [], absences: [] });
const MAJOR = { severity: "major", alwaysPages: "critical" as const, duty: undefined };
/** A time on a Monday. Berlin is one hour ahead. */
const at = (time: string) => new Date(`2026-11-23T${time}:00Z`);

test("quiet hours, in the user's zone, defer messages that are not critical until they end", () => {
  assert.deepEqual(deferral(CHOICES, MAJOR, at("21:00")), {
    by: "quiet_hours",
    until: new Date("2026-11-24T06:00:00Z"),
  });
  assert.equal(deferral(CHOICES, MAJOR, at("20:59")), undefined);
  assert.deepEqual(deferral(CHOICES, MAJOR, at("05:59"))?.until, at("06:00"));
  assert.equal(deferral(CHOICES, MAJOR, at("06:00")), undefined);
});

test("a group decides which pages are never deferred, and the user whether their choices apply to critical ones", () => {
  const deferred = (severity: string, alwaysPages: "all" | "critical" | "none", criticalToo: boolean) =>
    deferral({ ...CHOICES, criticalToo }, { severity, alwaysPages, duty: undefined }, at("23:00")) !== undefined;
  const table = (["all", "critical", "none"] as const).map((alwaysPages) => [
    deferred("critical", alwaysPages, false),
    deferred("critical", alwaysPages, true),
    deferred("warning", alwaysPages, false),
  ]);
  assert.deepEqual(table, [
    [false, false, false],
    [false, false, true],
    [false, true, true],
  ]);
});

test("a user who wants pages only on duty gets none until the next duty on a shift of the group", () => {
  const choices = { ...CHOICES, quietHours: null, onlyOnShift: true };
  const deferredAt = (time: string, duty = dutyOn({ shifts: [SHIFT], overrides: [], absences: [] })) =>
    deferral(choices, { ...MAJOR, duty: duty(at(time)) }, at(time));
  assert.equal(deferredAt("08:00"), undefined);
  assert.deepEqual(deferredAt("16:00"), { by: "off_shift", until: new Date("2026-11-30T08:00:00Z") });
  assert.deepEqual(deferredAt("08:00", NEVER), { by: "off_shift", until: null });
  assert.equal(deferral(choices, MAJOR, at("16:00")), undefined);
});
