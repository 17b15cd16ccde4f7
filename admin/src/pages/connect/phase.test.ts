import assert from "node:assert/strict";
import { test } from "node:test";
import { phaseOf } from "./phase.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const device = (status: "online" | "offline" | "never_seen", second?: number) => ({
  connectivity: { status, since: second === undefined ? null : at(second), reason: null },
});

test("a device that was refused and has not connected since is refused, also where it published before", () => {
  assert.equal(phaseOf(device("never_seen"), { lastAt: at(5) }, undefined), "refused");
  assert.equal(phaseOf(device("offline", 3), { lastAt: at(5) }, { receivedAt: at(2) }), "refused");
});

test("a refused topic closes the connection, and is why the device is offline", () => {
  assert.equal(phaseOf(device("offline", 6), { lastAt: at(5) }, { receivedAt: at(2) }), "refused");
});

test("a connection, a later disconnect and a later reading each outdate a refusal", () => {
  assert.equal(phaseOf(device("online", 7), { lastAt: at(5) }, undefined), "online");
  assert.equal(phaseOf(device("offline", 30), { lastAt: at(5) }, undefined), "offline");
  assert.equal(phaseOf(device("offline", 7), { lastAt: at(5) }, { receivedAt: at(6) }), "offline");
});

test("without a refusal the connectivity stands", () => {
  assert.equal(phaseOf(undefined, undefined, undefined), "never_seen");
  assert.equal(phaseOf(device("offline", 3), undefined, { receivedAt: at(2) }), "offline");
});
