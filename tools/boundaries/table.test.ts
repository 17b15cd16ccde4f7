import assert from "node:assert/strict";
import { test } from "node:test";
import { table } from "./table.ts";

test("no place in the table imports upwards: a row names only places that have a row", () => {
  for (const [place, allowed] of Object.entries(table.imports)) {
    for (const other of allowed) {
      if (other === "*") continue;
      assert.ok(table.imports[other], `${place} → ${other}: no such row`);
      if (other !== "main")
        assert.ok(!table.imports[other].includes(place), `${place} and ${other} may import each other`);
    }
  }
});
