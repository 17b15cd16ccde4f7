import assert from "node:assert/strict";
import { test } from "node:test";
import { firstInstant, timeZoneName, wallTime } from "./time-zone.ts";

test("a zone is an IANA name in the IANA spelling; an offset or another word is refused", () => {
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

test("wall time is exact to the second, even if the offset from UTC has seconds", () => {
  assert.equal(wallTime("Africa/Monrovia", 0), -(44 * 60 + 30) * 1000);
  assert.equal(wallTime("Australia/Lord_Howe", Date.UTC(2026, 0, 1)), Date.UTC(2026, 0, 1, 11));
  assert.equal(wallTime("America/St_Johns", Date.UTC(2026, 0, 1, 12)), Date.UTC(2026, 0, 1, 8, 30));
});

test("a later wall time is never an earlier instant, to the millisecond around a clock change", () => {
  const changes = [
    Date.UTC(2026, 2, 29, 2),
    Date.UTC(2026, 2, 29, 3),
    Date.UTC(2026, 9, 25, 2),
    Date.UTC(2026, 9, 25, 3),
  ];
  for (const change of changes) {
    const instants = [-1000, -1, 0, 1, 1000].map((ms) => firstInstant("Europe/Berlin", change + ms));
    assert.deepEqual(
      instants,
      instants.toSorted((a, b) => a - b),
    );
    for (const [index, at] of instants.entries()) {
      assert.ok(wallTime("Europe/Berlin", at) >= change + [-1000, -1, 0, 1, 1000][index]!);
    }
  }
});
