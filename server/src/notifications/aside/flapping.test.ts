import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HOUR, MINUTE } from "../../lib/clock.ts";
import { flappingOf } from "./flapping.ts";

test("of every episode exactly one opening pages, and openings beyond the limit fold into it", () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 8 }), (minutes, above) => {
      const times: number[] = [];
      for (const gap of minutes) times.push((times.at(-1) ?? 0) + gap * MINUTE);
      let inEpisode = false;
      times.forEach((at, index) => {
        const latestFirst = times.slice(0, index + 1).toReversed();
        const found = flappingOf(
          latestFirst.slice(0, above + 2).map((each) => new Date(each)),
          above,
        );
        const within = times.slice(0, index + 1).filter((each) => each > at - HOUR).length;
        assert.equal(found !== undefined, within > above);
        if (found) {
          assert.equal(found.first, !inEpisode);
          assert.equal(found.until.getTime(), at + HOUR);
        }
        inEpisode = found !== undefined;
      });
    }),
    { numRuns: 500 },
  );
});

test("a limit of 0 never folds", () => {
  const openings = [3, 2, 1].map((minute) => new Date(minute * MINUTE));
  assert.equal(flappingOf(openings, 0), undefined);
});
