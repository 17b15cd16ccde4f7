import assert from "node:assert/strict";
import { test } from "node:test";
import { isUuid, randomIds, uuidFloor } from "./ids.ts";

test("ids made in one millisecond are UUIDv7 and sort in the order they were made", () => {
  const now = new Date("2026-11-20T21:00:00.789Z");
  const made = Array.from({ length: 20_000 }, () => randomIds.uuid(now));
  for (const id of made) {
    assert.ok(isUuid(id));
    assert.match(id, /^01a1fac2-4f95-7...-[89ab]/);
  }
  assert.deepEqual(made, [...made].sort());
  assert.equal(new Set(made).size, made.length);
});

test("a later millisecond sorts after every id of an earlier one", () => {
  const now = new Date("2026-11-20T21:00:00.000Z");
  const before = Array.from({ length: 100 }, () => randomIds.uuid(now)).at(-1)!;
  assert.ok(randomIds.uuid(new Date(now.getTime() + 1)) > before);
});

test("random bytes are never handed out twice, whatever the sizes asked for", () => {
  const seen = new Set(
    Array.from({ length: 5000 }, (_, index) => randomIds.bytes(16 + (index % 60)).toString("hex", 0, 16)),
  );
  assert.equal(seen.size, 5000);
});

test("device ids have 16 characters of lower-case base32", () => {
  for (let round = 0; round < 200; round++) assert.match(randomIds.deviceId(), /^[a-z2-7]{16}$/);
});

test("uuidFloor is below every id created from then on and above every id created before", () => {
  const now = new Date("2026-11-20T21:00:00.789Z");
  const bound = uuidFloor(now);
  assert.ok(isUuid(bound));
  assert.ok(randomIds.uuid(now) > bound && randomIds.uuid(new Date(now.getTime() - 1)) < bound);
  assert.equal(uuidFloor(new Date(-1)), "00000000-0000-0000-0000-000000000000");
  assert.equal(uuidFloor(new Date(8.64e15)), "ffffffff-ffff-0000-0000-000000000000");
});
