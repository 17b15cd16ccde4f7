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

interface Use {
  entry: Entry;
  /** Entries that were used and then deleted still took their place in the half. */
  deleted: boolean;
}

test("a recent map stays within its capacity, keeps the most recently used half, and returns the last value set", () => {
  fc.assert(
    fc.property(fc.array(anyUse, { maxLength: 200 }), (uses) => {
      const map = new RecentMap<number, Entry>(MOST, ({ units }) => units);
      let used: Use[] = [];
      for (const { key, units, deleted } of uses) {
        const found = map.get(key);
        if (found !== undefined || isInHalf(used, key)) assert.equal(found, used[placeOf(used, key)]?.entry);
        const entry = found ?? { key, units };
        used = used.filter((use) => use.deleted || use.entry.key !== key);
        if (found !== undefined || !deleted) used.unshift({ entry, deleted });
        if (deleted) map.delete(key);
        else if (found === undefined) map.set(key, entry);
        assert.ok(map.size <= MOST);
      }
      map.clear();
      assert.equal(map.size, 0);
    }),
  );
});

function placeOf(used: readonly Use[], key: number): number {
  return used.findIndex(({ entry, deleted }) => entry.key === key && !deleted);
}

/** Reports whether the entry and those used after it fit in half of the map. */
function isInHalf(used: readonly Use[], key: number): boolean {
  const place = placeOf(used, key);
  const units = used.slice(0, place + 1).reduce((sum, { entry }) => sum + entry.units, 0);
  return place >= 0 && units <= MOST / 2;
}
