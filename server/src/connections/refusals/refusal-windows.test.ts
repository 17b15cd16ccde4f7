import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "../../lib/clock.ts";
import { RefusalWindows } from "./refusal-windows.ts";

function windows(entriesPerMinute: number) {
  let now = 0;
  let id = 0;
  const all = new RefusalWindows(entriesPerMinute, { monotonicMs: () => now });
  return {
    advance(ms: number): void {
      now += ms;
    },
    /** The entry on which a refusal is counted, possibly its own. */
    entry(origin: string, reason = "expired", tenantId: string | null = null): string {
      const own = String(++id);
      return all.entryFor({ reason, tenantId, origin }, own) ?? own;
    },
  };
}

test("a source's first refusals in a minute get entries, and further ones count on the last entry", () => {
  const { entry, advance } = windows(2);
  assert.deepEqual([entry("a"), entry("a"), entry("a"), entry("a")], ["1", "2", "2", "2"]);
  assert.deepEqual([entry("b"), entry("a", "revoked"), entry("a", "expired", "tenant")], ["5", "6", "7"]);
  advance(MINUTE - 1);
  assert.equal(entry("a"), "2");
  advance(1);
  assert.deepEqual([entry("a"), entry("a"), entry("a")], ["9", "10", "10"]);
});

test("100,000 addresses make a limited number of entries per minute, and another tenant has its own", () => {
  const { entry, advance } = windows(10);
  const entries = new Set<string>();
  for (let n = 0; n < 100_000; n++) entries.add(entry(`address ${n}`, "expired", "attacked"));
  assert.ok(entries.size <= 1_010, `${entries.size}`);
  const [first, second] = [entry("honest", "expired", "other"), entry("honest", "expired", "other")];
  assert.notEqual(first, second);
  advance(MINUTE);
  assert.ok(!entries.has(entry("address 7", "expired", "attacked")));
});

test("the entries per minute are limited, however many tenants and addresses there are", () => {
  const { entry } = windows(1);
  const entries = new Set<string>();
  for (let n = 0; n < 100_000; n++) entries.add(entry(`address ${n}`, "expired", `tenant ${n}`));
  assert.ok(entries.size <= 2_001, `${entries.size}`);
});
