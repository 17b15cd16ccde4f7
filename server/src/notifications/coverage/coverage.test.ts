import assert from "node:assert/strict";
import { test } from "node:test";
import { addMs, DAY, HOUR } from "../../lib/clock.ts";
import { type Notify, type PagedGroup, recipientsOf } from "../paging/recipients.ts";
import { coveredTimes, uncoveredTimes } from "./coverage.ts";

const ADA = { id: "1", email: "Ada@acme.example" };
const BOB = { id: "2", email: "bob@acme.example" };
const DAYS = {
  id: "s1",
  name: "Days",
  timeZone: "Europe/Berlin",
  startTime: "06:00",
  endTime: "18:00",
  daysOfWeek: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const,
  validFrom: null,
  validUntil: null,
  layer: 0,
  rotation: null,
};
const NIGHTS = { ...DAYS, id: "s2", name: "Nights", startTime: "18:00", endTime: "06:00", timeZone: "Europe/Berlin" };
const FROM = new Date("2026-11-21T00:00:00+01:00");
const TO = addMs(FROM, DAY);

function group(steps: [number, Notify][], more: Partial<PagedGroup> = {}): PagedGroup {
  const escalation = steps.map(([afterMinutes, notify]) => ({ afterMinutes, notify }));
  const shifts = [{ ...DAYS, users: [ADA] }];
  return {
    id: "g",
    name: "Hall",
    channels: [],
    members: [],
    shifts,
    overrides: [],
    absences: [],
    escalation,
    alwaysPages: "critical",
    ...more,
  };
}

const hours = (of: PagedGroup) =>
  uncoveredTimes(coveredTimes(of, FROM, TO), FROM, TO).map(({ from, to }) =>
    [from, to].map((at) => (at.getTime() - FROM.getTime()) / HOUR),
  );

test("a step notifies the shift on duty, the members or the channels, each address once", () => {
  const both = group([], {
    members: [ADA, { ...ADA, id: "3", email: "ada@acme.example" }, BOB],
    channels: [{ type: "webhook", target: "https://a.example/", confirmed: true, disabled: false, failing: false }],
    shifts: [
      { ...DAYS, users: [ADA] },
      { ...NIGHTS, timeZone: "Asia/Tokyo", users: [BOB, ADA] },
    ],
  });
  const notified = (notify: Notify, at: string) =>
    recipientsOf(notify, both, new Date(at)).map(({ target, timeZone }) => `${target} ${timeZone}`);
  assert.deepEqual(notified("shift", "2026-11-21T08:00:00+01:00"), ["Ada@acme.example Europe/Berlin"]);
  assert.deepEqual(notified("shift", "2026-11-21T20:00:00+01:00"), [
    "bob@acme.example Asia/Tokyo",
    "Ada@acme.example Asia/Tokyo",
  ]);
  assert.deepEqual(notified("members", "2026-11-21T08:00:00+01:00"), [
    "Ada@acme.example Europe/Berlin",
    "bob@acme.example Europe/Berlin",
  ]);
  assert.deepEqual(notified("channels", "2026-11-21T08:00:00+01:00"), ["https://a.example/ Europe/Berlin"]);
  assert.deepEqual(recipientsOf("shift", { ...both, shifts: [] }, FROM), []);
});

test("uncovered hours are those in which no step has recipients", () => {
  assert.deepEqual(hours(group([[0, "shift"]])), [
    [0, 6],
    [18, 24],
  ]);
  assert.deepEqual(hours(group([])), [[0, 24]]);
  assert.deepEqual(hours(group([[0, "shift"]], { shifts: [{ ...DAYS, users: [] }] })), [[0, 24]]);
  const all = {
    shifts: [
      { ...DAYS, users: [ADA] },
      { ...NIGHTS, users: [BOB] },
    ],
  };
  assert.deepEqual(hours(group([[0, "shift"]], all)), []);
  assert.deepEqual(
    hours(
      group(
        [
          [0, "shift"],
          [30, "members"],
        ],
        { members: [BOB] },
      ),
    ),
    [],
  );
  assert.deepEqual(
    hours(
      group([
        [0, "shift"],
        [30, "members"],
      ]),
    ),
    [
      [0, 6],
      [18, 24],
    ],
  );
  assert.deepEqual(
    hours(
      group([[30, "channels"]], {
        channels: [{ type: "email", target: "a@b", confirmed: true, disabled: false, failing: false }],
      }),
    ),
    [],
  );
});

test("a step an hour later notifies the users on duty at that time", () => {
  assert.deepEqual(hours(group([[60, "shift"]])), [
    [0, 5],
    [17, 24],
  ]);
  assert.deepEqual(
    hours(
      group([
        [0, "shift"],
        [60, "shift"],
      ]),
    ),
    [
      [0, 5],
      [18, 24],
    ],
  );
});
