import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RecentMap } from "./recent-map.ts";

const MOST = 10;

interface Entry {
  key: number;
  units: number;
}

const anyUse = fc.record({ key: fc.nat(20), units: fc.integer({ min: 1, max: 4 }), deleted: fc.boolean() });

test("a recent map stays within its units, keeps the half that was used last, and returns what was set last", () => {
  fc.assert(
    fc.property(fc.array(anyUse, { maxLength: 200 }), (uses) => {
      const map = new RecentMap<number, Entry>(MOST, ({ units }) => units);
      let used: Entry[] = [];
      for (const { key, units, deleted } of uses) {
        const found = map.get(key);
        if (found !== undefined || isInHalf(used, key))
          assert.equal(
            found,
            used.find((entry) => entry.key === key),
          );
        used = used.filter((entry) => entry.key !== key);
        if (deleted) map.delete(key);
        else {
          used.unshift(found ?? { key, units });
          if (found === undefined) map.set(key, used[0]!);
        }
        assert.ok(map.size <= MOST);
      }
      map.clear();
      assert.equal(map.size, 0);
    }),
  );
});

/** Whether the entry and what was used after it are no more than half of the map. */
function isInHalf(used: readonly Entry[], key: number): boolean {
  const place = used.findIndex((entry) => entry.key === key);
  const units = used.slice(0, place + 1).reduce((sum, entry) => sum + entry.units, 0);
  return place >= 0 && units <= MOST / 2;
}
