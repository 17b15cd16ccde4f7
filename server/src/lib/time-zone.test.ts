import assert from "node:assert/strict";
import { test } from "node:test";
import { firstInstant, timeZoneName, wallTime } from "./time-zone.ts";

test("a zone is an IANA name, spelled as IANA spells it; an offset or a word is none", () => {
  for (const name of ["Europe/Berlin", "UTC", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST5EDT"])
    assert.equal(timeZoneName(name), name);
  assert.equal(timeZoneName("europe/BERLIN"), "Europe/Berlin");
  assert.equal(timeZoneName("utc"), "UTC");
  for (const name of [
    "",
    "+02:00",
    "GMT+2",
    "Berlin",
    "Europe/Nowhere",
    "asia/kolkata",
    "Europe/Berlin ",
    "CEST",
    "Z",
    "\0",
  ])
    assert.equal(timeZoneName(name), undefined, name);
});

test("a wall clock is read to the second, also where the offset has seconds", () => {
  assert.equal(wallTime("Africa/Monrovia", 0), -(44 * 60 + 30) * 1000);
  assert.equal(wallTime("Australia/Lord_Howe", Date.UTC(2026, 0, 1)), Date.UTC(2026, 0, 1, 11));
  assert.equal(wallTime("America/St_Johns", Date.UTC(2026, 0, 1, 12)), Date.UTC(2026, 0, 1, 8, 30));
});

test("a later wall time is never an earlier instant, to the millisecond around a leap", () => {
  const leaps = [
    Date.UTC(2026, 2, 29, 2),
    Date.UTC(2026, 2, 29, 3),
    Date.UTC(2026, 9, 25, 2),
    Date.UTC(2026, 9, 25, 3),
  ];
  for (const leap of leaps) {
    const instants = [-1000, -1, 0, 1, 1000].map((ms) => firstInstant("Europe/Berlin", leap + ms));
    assert.deepEqual(
      instants,
      instants.toSorted((a, b) => a - b),
    );
    for (const [index, at] of instants.entries()) {
      assert.ok(wallTime("Europe/Berlin", at) >= leap + [-1000, -1, 0, 1, 1000][index]!);
    }
  }
});
