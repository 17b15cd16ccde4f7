import assert from "node:assert/strict";
import { test } from "node:test";
import { weekOf } from "./week.ts";

const ADA = { id: "1", email: "ada@acme.example" };

function duty(shiftName: string, startsAt: string, endsAt: string) {
  return { groupId: "g", shiftId: shiftName, shiftName, users: [ADA], startsAt, endsAt };
}

test("a night is on two days of its own zone, and what is past is outside", () => {
  const night = duty("Nights", "2026-11-23T21:00:00Z", "2026-11-24T05:00:00Z");
  const gaps = [{ from: "2026-11-24T05:00:00Z", to: "2026-11-24T11:00:00Z" }];
  const days = weekOf({ duties: [night], gaps }, "Europe/Berlin", Date.parse("2026-11-23T11:00:00Z"));
  assert.equal(days.length, 8);
  const [monday, tuesday] = days;
  assert.deepEqual(monday!.outside, [{ left: 0, width: 50, times: "00:00–12:00" }]);
  assert.deepEqual(
    [monday, tuesday].map((day) => day!.duties.map(({ times }) => times)),
    [["22:00–24:00"], ["00:00–06:00"]],
  );
  assert.deepEqual(tuesday!.gaps, [{ left: 25, width: 25, times: "06:00–12:00" }]);
  assert.deepEqual(days.at(-1)!.outside, [{ left: 50, width: 50, times: "12:00–24:00" }]);
});

test("duties at the same time lie below each other, others beside each other", () => {
  const duties = [
    duty("Days", "2026-11-23T06:00:00Z", "2026-11-23T14:00:00Z"),
    duty("Stand-by", "2026-11-23T08:00:00Z", "2026-11-23T20:00:00Z"),
    duty("Evenings", "2026-11-23T14:00:00Z", "2026-11-23T22:00:00Z"),
  ];
  const [monday] = weekOf({ duties, gaps: [] }, "UTC", Date.parse("2026-11-23T00:00:00Z"));
  assert.deepEqual(
    [monday!.rows, monday!.duties.map(({ shiftName, row }) => [shiftName, row])],
    [
      2,
      [
        ["Days", 0],
        ["Stand-by", 1],
        ["Evenings", 0],
      ],
    ],
  );
});

test("the week of the start of daylight saving shows what the wall shows", () => {
  // On 2026-03-29 the wall of Berlin goes from 02:00 to 03:00: this night has seven hours.
  const night = duty("Nights", "2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z");
  const days = weekOf({ duties: [night], gaps: [] }, "Europe/Berlin", Date.parse("2026-03-28T11:00:00Z"));
  assert.deepEqual(
    days.slice(0, 2).map((day) => day.duties.map(({ times }) => times)),
    [["22:00–24:00"], ["00:00–06:00"]],
  );
});
