import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { type Access, type Admission, createAccess } from "../src/access/access.ts";
import { type Database, type Db, openDatabase, runRaw } from "../src/db/database.ts";
import { databaseClock } from "../src/db/database-clock.ts";
import { type Clock, HOUR, MINUTE, SECOND } from "../src/lib/clock.ts";
import { randomIds } from "../src/lib/ids.ts";
import { createLogger } from "../src/lib/logger.ts";
import { onPostgres, openTestDatabase } from "./harness/database.ts";
import { FakeClock } from "./harness/fake-clock.ts";
import { callerForKey } from "./harness/shell-caller.ts";

const HERE = "127.0.0.1";
const LIMIT = 120;
const logger = createLogger("silent");

/** A server process as far as keys are concerned, with a clock of its own. */
interface Process {
  access: Access;
  clock: FakeClock;
}

let database: Awaited<ReturnType<typeof openTestDatabase>>;
/** What the second process opens: on PostgreSQL connections of its own, so that the two really meet in the database. */
let second: Database;
let admin: string;
const started: Access[] = [];

before(async () => {
  database = await openTestDatabase();
  second = database.url ? await openDatabase({ url: database.url, dataDir: "memory", logger }) : database;
  const access = await start(database, new FakeClock());
  await access.createTenant({ slug: "acme", name: "Acme" });
  ({ email: admin } = await access.createUser(await access.systemCaller("acme"), {
    email: "admin@acme.example",
    role: "admin",
  }));
});
after(async () => {
  for (const access of started) await access.close();
  if (second !== database) await second.close();
  await database.close();
  await database.remove();
});

async function start(on: Database, clock: Clock): Promise<Access> {
  const access = createAccess({ database: on, clock, ids: randomIds, logger });
  await access.compareRequestClocks();
  started.push(access);
  return access;
}

/** Two processes that have just started. */
async function twoProcesses(): Promise<[Process, Process]> {
  const clocks = [new FakeClock(), new FakeClock()] as const;
  return [
    { access: await start(database, clocks[0]), clock: clocks[0] },
    { access: await start(second, clocks[1]), clock: clocks[1] },
  ];
}

async function newKey(): Promise<{ id: string; key: string }> {
  const access = started[0]!;
  return await access.createKey(await access.systemCaller("acme"), {
    user: admin,
    name: "k",
    scopes: ["devices:read"],
  });
}

function atOnce({ access }: Pick<Process, "access">, key: string, requests: number): Promise<Admission[]> {
  return Promise.all(Array.from({ length: requests }, () => access.admitRequest(key, HERE)));
}

/** How many of so many requests at once pass. */
async function passing(process: Pick<Process, "access">, key: string, requests: number): Promise<number> {
  return (await atOnce(process, key, requests)).filter(({ admitted }) => admitted).length;
}

function pass(all: readonly Process[], ms: number): void {
  for (const { clock } of all) clock.advance(ms);
}

const windowOf = (id: string) =>
  database.db.selectFrom("api_key_windows").selectAll().where("key_id", "=", id).executeTakeFirst();

test("any 60 seconds admit exactly 120 requests a key, and Retry-After is exact", async () => {
  const [one] = await twoProcesses();
  const { key } = await newKey();
  for (let i = 0; i < 8; i++) {
    const { caller, ...announced } = await one.access.admitRequest(key, HERE);
    assert.equal(caller.tenantSlug, "acme");
    assert.deepEqual(announced, {
      admitted: true,
      limit: 120,
      windowSeconds: 60,
      remaining: 119 - i,
      resetSeconds: 60,
    });
  }
  assert.equal(await passing(one, key, 52), 52);
  pass([one], 30_000);
  assert.equal(await passing(one, key, 100), 60);
  const { caller: _, ...refused } = await one.access.admitRequest(key, HERE);
  assert.deepEqual(refused, { admitted: false, limit: 120, windowSeconds: 60, remaining: 0, resetSeconds: 30 });
  pass([one], 29_999);
  assert.equal(await passing(one, key, 5), 0, "a millisecond early is early");
  pass([one], 1);
  assert.equal(await passing(one, key, 100), 60, "after the announced wait");
  pass([one], 30_000);
  assert.equal(await passing(one, key, 100), 60);
});

/** The limit of the specification as a plain list: the expected answer to each of `requests` at `now`. */
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
    const both = await twoProcesses();
    const { key } = await newKey();
    const expected = reference();
    let now = 0;
    for (const { pause, requests, at } of steps) {
      pass(both, pause);
      now += pause;
      const announced = (await atOnce(both[at]!, key, requests)).map(({ caller: _, ...rest }) => rest);
      assert.deepEqual(announced, expected(now, requests));
    }
  });
  await fc.assert(property, { numRuns: 12 });
});

test("of 500 simultaneous requests over two processes exactly 120 are admitted", async () => {
  const both = await twoProcesses();
  const { key } = await newKey();
  const counts = await Promise.all(both.map((process) => passing(process, key, 250)));
  assert.equal(counts[0]! + counts[1]!, 120);
});

test("many keys at once over two processes: each is admitted 120 times, independently of the others", async () => {
  const both = await twoProcesses();
  const keys = await Promise.all(Array.from({ length: 8 }, newKey));
  const quiet = await newKey();
  const asked = keys.flatMap(({ key }) => both.flatMap((process) => [1, 30, 70].map((n) => ({ key, process, n }))));
  const order = fc.sample(fc.shuffledSubarray(asked, { minLength: asked.length }), 1)[0]!;
  const passed = new Map<string, number>();
  await Promise.all(
    order.map(async ({ key, process, n }) => {
      const count = await passing(process, key, n);
      passed.set(key, (passed.get(key) ?? 0) + count);
    }),
  );
  assert.deepEqual(
    [...passed.values()],
    keys.map(() => LIMIT),
  );
  assert.equal((await both[0].access.admitRequest(quiet.key, HERE)).remaining, 119);
});

test("a step of a wall clock neither opens the limit nor locks the key out, also for a new key", async () => {
  for (const step of [2 * HOUR, -2 * HOUR]) {
    const both = await twoProcesses();
    const [one, other] = both;
    const { key } = await newKey();
    assert.equal(await passing(one, key, 130), 120);
    pass(both, 20_000);
    for (const { clock } of both) clock.step(step);
    assert.equal(await passing(other, key, 10), 0, "met for the first time after the step");
    other.clock.step(-2 * step);
    for (const { access } of both) await access.compareRequestClocks();
    const [announced] = await atOnce(other, key, 1);
    assert.deepEqual([announced!.admitted, announced!.resetSeconds], [false, 40]);
    pass(both, 39_999);
    for (const process of both) assert.equal(await passing(process, key, 10), 0);
    pass(both, 1);
    assert.equal(await passing(other, key, 130), 120, "not a millisecond later than announced");
  }
});

test("a starting process continues the count of the others, also after a step; alone it uses the wall clock", async () => {
  const both = await twoProcesses();
  const { key } = await newKey();
  assert.equal(await passing(both[0], key, 120), 120);
  pass(both, 10_000);
  for (const { clock } of both) clock.step(-2 * HOUR);
  await both[1].access.compareRequestClocks();
  pass(both, 5_000);
  const third = { access: await start(second, new FakeClock(both[0].clock.now())), clock: both[0].clock };
  assert.deepEqual((await atOnce(third, key, 1))[0]!.resetSeconds, 45);

  const later = new FakeClock(new Date(both[0].clock.now().getTime() + 30_000));
  const restarted = { access: await start(database, later), clock: later };
  assert.deepEqual((await atOnce(restarted, key, 1))[0]!.resetSeconds, 15, "half a minute without a process");
  pass([restarted], 15_000);
  assert.equal(await passing(restarted, key, 130), 120);
});

test("refused requests are not counted, also by the thousand", async () => {
  const [one] = await twoProcesses();
  const { key } = await newKey();
  assert.equal(await passing(one, key, 1000), 120);
  pass([one], 30_000);
  assert.equal(await passing(one, key, 1000), 0);
  pass([one], 30_000);
  assert.equal(await passing(one, key, 1000), 120);
});

test("a revoked key is refused before its limit is checked and leaves no window; neither does a wrong secret", async () => {
  const [one] = await twoProcesses();
  const [spent, unused, other] = [await newKey(), await newKey(), await newKey()];
  assert.equal(await passing(one, spent.key, 121), 120);
  await one.access.revokeKey(await callerForKey(one.access, spent.id), spent.id);
  const wrongSecret = spent.key.slice(0, 14) + other.key.slice(14);
  for (const ended of [spent.key, wrongSecret])
    await assert.rejects(one.access.admitRequest(ended, HERE), { code: "invalid_api_key" });
  await one.access.revokeKey(await callerForKey(one.access, unused.id), unused.id);
  await assert.rejects(one.access.admitRequest(unused.key, HERE), { code: "invalid_api_key" });
  assert.equal(await windowOf(unused.id), undefined);
});

test("a wrong secret uses nothing of the key's budget, also in the same batch", async () => {
  const [one] = await twoProcesses();
  const [own, other] = [await newKey(), await newKey()];
  const { makeKey } = await import("../src/access/keys/api-key.ts");
  const forged = makeKey({ ...randomIds, bytes: (size) => (size === 5 ? bytesOf(own.id) : randomIds.bytes(size)) });
  assert.equal(forged.id, own.id);
  const [guesses, admitted] = await Promise.all([
    Promise.allSettled(Array.from({ length: 200 }, () => one.access.admitRequest(forged.text, HERE))),
    passing(one, own.key, 100),
    passing(one, other.key, 100),
  ]);
  assert.ok(guesses.every(({ status }) => status === "rejected"));
  assert.equal(admitted, 100);
  assert.equal((await one.access.admitRequest(own.key, HERE)).remaining, 19);
});

/** The five bytes that a key's public id was made from. */
function bytesOf(id: string): Buffer {
  const bits = [...id].map((char) => "abcdefghijklmnopqrstuvwxyz234567".indexOf(char).toString(2).padStart(5, "0"));
  return Buffer.from(
    bits
      .join("")
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
}

test("windows in which nothing counts are pruned, others are not", async () => {
  const [one] = await twoProcesses();
  const [resting, ended, busy] = [await newKey(), await newKey(), await newKey()];
  assert.equal(await passing(one, resting.key, 120), 120);
  assert.equal(await passing(one, ended.key, 1), 1);
  await one.access.revokeKey(await callerForKey(one.access, ended.id), ended.id);
  pass([one], 30_000);
  assert.equal(await passing(one, busy.key, 120), 120);
  pass([one], 30_000);
  await one.access.prune();
  assert.deepEqual([await windowOf(resting.id), await windowOf(ended.id)], [undefined, undefined]);
  assert.equal((await windowOf(busy.id))?.times.length, 120);
  assert.equal(await passing(one, busy.key, 10), 0);
  assert.equal(await passing(one, resting.key, 130), 120);
});

test("pruning during requests loses no count", async () => {
  const both = await twoProcesses();
  const { key } = await newKey();
  for (let round = 0; round < 5; round++) {
    const [, one, other] = await Promise.all([
      both[0].access.prune(),
      passing(both[0], key, 70),
      passing(both[1], key, 70),
      both[1].access.prune(),
    ]);
    assert.equal(one + other, LIMIT);
    pass(both, MINUTE);
  }
});

async function isQueryWaiting(db: Db): Promise<boolean> {
  const statement = "SELECT 1 FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()";
  return (await runRaw(db, statement, [])).length > 0;
}

// The embedded database has one connection, and one machine's clock.
if (onPostgres) {
  test("a window that another transaction locks delays its own key only", async () => {
    const [one] = await twoProcesses();
    const [locked, free] = [await newKey(), await newKey()];
    await one.access.admitRequest(locked.key, HERE);
    let waiting: Promise<Admission> | undefined;
    await second.db.transaction().execute(async (tx) => {
      await tx.selectFrom("api_key_windows").select("key_id").where("key_id", "=", locked.id).forUpdate().execute();
      waiting = one.access.admitRequest(locked.key, HERE);
      while (!(await isQueryWaiting(tx)));
      for (let i = 0; i < 3; i++) assert.equal((await one.access.admitRequest(free.key, HERE)).admitted, true);
    });
    assert.equal((await waiting!).remaining, 118);
  });

  test("two machines ten minutes apart share a window by the database's clock, and their clock steps do not count as time", async () => {
    const machines = [new FakeClock(), new FakeClock(new Date(Date.now() + 10 * MINUTE))] as const;
    const clocks = [
      await databaseClock(database, machines[0], logger),
      await databaseClock(second, machines[1], logger),
    ] as const;
    try {
      const one = { access: await start(database, clocks[0]) };
      const other = { access: await start(second, clocks[1]) };
      const { key } = await newKey();
      assert.equal((await passing(one, key, 60)) + (await passing(other, key, 100)), 120);
      for (const machine of machines) machine.step(3 * HOUR);
      assert.equal((await passing(one, key, 5)) + (await passing(other, key, 5)), 0);
      for (const machine of machines) machine.advance(59_000);
      assert.equal((await passing(one, key, 5)) + (await passing(other, key, 5)), 0);
      for (const machine of machines) machine.advance(1_100);
      assert.equal((await passing(one, key, 100)) + (await passing(other, key, 100)), 120);
    } finally {
      for (const clock of clocks) clock.stop();
    }
  });
}
