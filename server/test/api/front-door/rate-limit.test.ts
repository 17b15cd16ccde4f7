import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { randomIds } from "../../../src/lib/ids.ts";
import { callerForKey } from "../../harness/shell-caller.ts";
import {
  admissions,
  advance,
  countAdmitted,
  LIMIT,
  openRateLimitFixture,
  type RateLimitFixture,
} from "./rate-limit.ts";

const HERE = "127.0.0.1";

let fixture: RateLimitFixture;
before(async () => {
  fixture = await openRateLimitFixture();
});
after(() => fixture.close());

test("any 60 seconds admit exactly 120 requests per key, and Retry-After is exact", async () => {
  const [one] = await fixture.twoProcesses();
  const { key } = await fixture.newKey();
  for (let i = 0; i < 8; i++) {
    const { caller, resetMs, ...announced } = await one.access.admitRequest(key, HERE);
    assert.equal(caller.tenantSlug, "acme");
    assert.equal(resetMs, 60_000);
    assert.deepEqual(announced, {
      admitted: true,
      limit: 120,
      windowSeconds: 60,
      remaining: 119 - i,
      resetSeconds: 60,
    });
  }
  assert.equal(await countAdmitted(one, key, 52), 52);
  advance([one], 30_000);
  assert.equal(await countAdmitted(one, key, 100), 60);
  const { caller: _, resetMs, ...refused } = await one.access.admitRequest(key, HERE);
  assert.deepEqual(refused, { admitted: false, limit: 120, windowSeconds: 60, remaining: 0, resetSeconds: 30 });
  assert.equal(resetMs, 30_000);
  advance([one], 29_999);
  assert.equal(await countAdmitted(one, key, 5), 0, "a millisecond early is early");
  advance([one], 1);
  assert.equal(await countAdmitted(one, key, 100), 60, "after the announced wait");
  advance([one], 30_000);
  assert.equal(await countAdmitted(one, key, 100), 60);
});

/** Returns the expected answer to each of `requests` at `now`, by the specified limit as a plain list. */
function reference() {
  let times: number[] = [];
  return (now: number, requests: number) => {
    times = times.filter((time) => time > now - MINUTE);
    return Array.from({ length: requests }, () => {
      const admitted = times.length < LIMIT;
      if (admitted) times.push(now);
      const resetSeconds = Math.ceil((times[0]! + MINUTE - now) / SECOND);
      return { admitted, limit: LIMIT, windowSeconds: 60, remaining: LIMIT - times.length, resetSeconds };
    });
  };
}

test("over two processes every request is admitted or refused exactly as the reference limit says", async () => {
  const pause = fc.oneof(
    fc.constantFrom(0, 1, 999, 1000, 29_999, 30_000, 59_999, 60_000, 60_001, 200_000),
    fc.nat(61_000),
  );
  const step = fc.record({ pause, requests: fc.integer({ min: 1, max: 150 }), at: fc.nat(1) });
  const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
    const both = await fixture.twoProcesses();
    const { key } = await fixture.newKey();
    const expected = reference();
    let now = 0;
    for (const { pause, requests, at } of steps) {
      advance(both, pause);
      now += pause;
      const announced = (await admissions(both[at]!, key, requests)).map(({ caller: _, resetMs: __, ...rest }) => rest);
      // The order of simultaneous requests has no meaning: a slow statement does not delay the next one.
      announced.sort((one, other) => other.remaining - one.remaining || Number(other.admitted) - Number(one.admitted));
      assert.deepEqual(announced, expected(now, requests));
    }
  });
  await fc.assert(property, { numRuns: 12 });
});

test("exactly 120 of 500 simultaneous requests over two processes are admitted", async () => {
  const both = await fixture.twoProcesses();
  const { key } = await fixture.newKey();
  const counts = await Promise.all(both.map((process) => countAdmitted(process, key, 250)));
  assert.equal(counts[0]! + counts[1]!, 120);
});

test("many keys simultaneously over two processes: each is admitted 120 times, independently of the others", async () => {
  const both = await fixture.twoProcesses();
  const keys = await Promise.all(Array.from({ length: 8 }, fixture.newKey));
  const quiet = await fixture.newKey();
  const asked = keys.flatMap(({ key }) => both.flatMap((process) => [1, 30, 70].map((n) => ({ key, process, n }))));
  const order = fc.sample(fc.shuffledSubarray(asked, { minLength: asked.length }), 1)[0]!;
  const passed = new Map<string, number>();
  await Promise.all(
    order.map(async ({ key, process, n }) => {
      const count = await countAdmitted(process, key, n);
      passed.set(key, (passed.get(key) ?? 0) + count);
    }),
  );
  assert.deepEqual(
    [...passed.values()],
    keys.map(() => LIMIT),
  );
  assert.equal((await both[0].access.admitRequest(quiet.key, HERE)).remaining, 119);
});

test("refused requests are not counted, even by the thousand", async () => {
  const [one] = await fixture.twoProcesses();
  const { key } = await fixture.newKey();
  assert.equal(await countAdmitted(one, key, 1000), 120);
  advance([one], 30_000);
  assert.equal(await countAdmitted(one, key, 1000), 0);
  advance([one], 30_000);
  assert.equal(await countAdmitted(one, key, 1000), 120);
});

test("a revoked key is refused before its limit is checked and leaves no window; nor does a wrong secret", async () => {
  const [one] = await fixture.twoProcesses();
  const [spent, unused, other] = [await fixture.newKey(), await fixture.newKey(), await fixture.newKey()];
  assert.equal(await countAdmitted(one, spent.key, 121), 120);
  await one.access.revokeKey(await callerForKey(one.access, spent.id), spent.id);
  const wrongSecret = spent.key.slice(0, 14) + other.key.slice(14);
  for (const ended of [spent.key, wrongSecret])
    await assert.rejects(one.access.admitRequest(ended, HERE), { code: "invalid_api_key" });
  await one.access.revokeKey(await callerForKey(one.access, unused.id), unused.id);
  await assert.rejects(one.access.admitRequest(unused.key, HERE), { code: "invalid_api_key" });
  assert.equal(await fixture.windowOf(unused.id), undefined);
});

test("a wrong secret uses nothing of the key's budget, also in the same batch", async () => {
  const [one] = await fixture.twoProcesses();
  const [own, other] = [await fixture.newKey(), await fixture.newKey()];
  const { makeKey } = await import("../../../src/access/keys/api-key.ts");
  const forged = makeKey({ ...randomIds, bytes: (size) => (size === 5 ? bytesOf(own.id) : randomIds.bytes(size)) });
  assert.equal(forged.id, own.id);
  const [guesses, admitted] = await Promise.all([
    Promise.allSettled(Array.from({ length: 200 }, () => one.access.admitRequest(forged.text, HERE))),
    countAdmitted(one, own.key, 100),
    countAdmitted(one, other.key, 100),
  ]);
  assert.ok(guesses.every(({ status }) => status === "rejected"));
  assert.equal(admitted, 100);
  assert.equal((await one.access.admitRequest(own.key, HERE)).remaining, 19);
});

/** Returns the five bytes from which a key's public id was made. */
function bytesOf(id: string): Buffer {
  const bits = [...id].map((char) => "abcdefghijklmnopqrstuvwxyz234567".indexOf(char).toString(2).padStart(5, "0"));
  return Buffer.from(
    bits
      .join("")
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
}
