import assert from "node:assert/strict";
import { test } from "node:test";
import { GrantedFilters, NO_FILTERS } from "./granted-filters.ts";

test("a filter grants itself and narrower ones, and what is wider is refused", () => {
  const granted = new GrantedFilters(["t/acme/telemetry/#", "t/acme/+/state", "t/acme/exact"]);
  for (const narrower of [
    "t/acme/telemetry/#",
    "t/acme/telemetry",
    "t/acme/telemetry/+",
    "t/acme/telemetry/pump-1",
    "t/acme/telemetry/+/deep/#",
    "t/acme/+/state",
    "t/acme/pump-1/state",
    "t/acme/exact",
  ])
    assert.ok(granted.covers(narrower), narrower);
  for (const wider of [
    "#",
    "+/acme/telemetry/#",
    "t/#",
    "t/acme/#",
    "t/acme/+",
    "t/acme",
    "t/acme/+/#",
    "t/acme/+/+",
    "t/acme/pump-1/state/#",
    "t/acme/pump-1/state/x",
    "t/other/telemetry/x",
    "t/acme/exact/#",
    "$share/x/t/acme/exact",
  ])
    assert.ok(!granted.covers(wider), wider);
  assert.ok(!NO_FILTERS.covers("t/acme/exact"));
});

/** Returns whether a filter matches a topic (MQTT 5, 4.7). */
function matches(filter: string, topic: string): boolean {
  const pattern = filter
    .split("/")
    .map((level) => (level === "+" ? "[^/]*" : level))
    .join("/")
    .replace(/(^|\/)#$/, (_, slash) => (slash ? "(/.*)?" : ".*"));
  return new RegExp(`^${pattern}$`).test(topic);
}

test("for all filters of up to three levels, covering means that the topics are a subset", () => {
  const sequences = (levels: string[], length: number): string[][] =>
    length === 0 ? [[]] : sequences(levels, length - 1).flatMap((rest) => levels.map((level) => [level, ...rest]));
  const of = (levels: string[]) => [1, 2, 3].flatMap((length) => sequences(levels, length)).map((all) => all.join("/"));
  const topics = [1, 2, 3, 4].flatMap((n) => sequences(["a", "b", "c"], n)).map((all) => all.join("/"));
  const filters = of(["a", "b", "+", "#"]).filter((filter) => !/#./.test(filter));
  for (const grant of filters) {
    const granted = new GrantedFilters([grant]);
    for (const asked of filters) {
      const subset = topics.every((topic) => !matches(asked, topic) || matches(grant, topic));
      // `+/#` matches what `#` does, except topics that begin with `$`; it does not grant it.
      const isExcepted = /(^|\/)\+\/#$/.test(grant) && asked.endsWith("#");
      if (!isExcepted) assert.equal(granted.covers(asked), subset, `${grant} grants ${asked}`);
      else assert.ok(subset || !granted.covers(asked), `${grant} grants ${asked}`);
    }
  }
});
