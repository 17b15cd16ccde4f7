import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { CompiledQuery } from "kysely";
import type { Caller } from "../src/access/access.ts";
import { onPostgres } from "./harness/database.ts";
import { openTelemetry, type TelemetryBench, type TestSender } from "./harness/telemetry.ts";

let bench: TelemetryBench;
let caller: Caller;
before(async () => {
  bench = await openTelemetry();
  caller = await bench.tenant();
});
after(() => bench.close());

/** The stored rows of a device: metric, milliseconds, value. */
async function rowsOf(device: TestSender): Promise<[string, number, unknown][]> {
  const rows = await bench.query<{ metric: string; ts: Date; number: number; flag: boolean; text: string }>(
    `SELECT metric, ts, number, flag, text FROM telemetry WHERE device_uid = $1 ORDER BY metric COLLATE "C", ts`,
    [device.uid],
  );
  return rows.map(({ metric, ts, number, flag, text }) => [metric, ts.getTime(), number ?? flag ?? text]);
}

async function latestOf(device: TestSender): Promise<Record<string, unknown>> {
  const values = await bench.telemetry.latest(caller, device.id);
  return Object.fromEntries(values.map(({ metric, value }) => [metric, value]));
}

test("a message is stored when its promise resolves, whatever the type of its values", async () => {
  const device = await bench.device(caller);
  const now = bench.clock.now().getTime();
  const text = `quotes " and ', back\\slash, {braces}, comma, NULL, newline\n, tab\t, ünïcödé 🌡`;
  await device.publish({
    number: -1.5e-7,
    whole: 42,
    yes: true,
    no: false,
    text,
    empty: "",
    null: "NULL",
    'a"b\\c': 0,
  });
  assert.deepEqual(await rowsOf(device), [
    ['a"b\\c', now, 0],
    ["empty", now, ""],
    ["no", now, false],
    ["null", now, "NULL"],
    ["number", now, -1.5e-7],
    ["text", now, text],
    ["whole", now, 42],
    ["yes", now, true],
  ]);
});

test("the same message twice is one row, in one batch and in two", async () => {
  const device = await bench.device(caller);
  const ts = bench.clock.now().getTime() - 1000;
  const message = { ts, values: { temperature: 21.5 } };
  await Promise.all([device.publish(message), device.publish(message)]);
  await device.publish(message);
  assert.deepEqual(await rowsOf(device), [["temperature", ts, 21.5]]);
});

test("of several values at one instant the last one sent stays, in one batch and over batches", async () => {
  const device = await bench.device(caller);
  const ts = bench.clock.now().getTime() - 1000;
  const send = (n: number) => device.publish({ ts, values: { count: n } });
  await Promise.all(Array.from({ length: 5_000 }, (_, n) => send(n)));
  assert.deepEqual(await rowsOf(device), [["count", ts, 4_999]]);
  assert.deepEqual(await latestOf(device), { count: 4_999 });
  await send(-1);
  assert.deepEqual(await rowsOf(device), [["count", ts, -1]]);
  assert.deepEqual(await latestOf(device), { count: -1 });
});

test("two messages without a time are two rows, though they came within one millisecond", async () => {
  const device = await bench.device(caller);
  await Promise.all([device.publish({ count: 1 }), device.publish({ count: 2 })]);
  await device.publish({ count: 3 });
  assert.deepEqual(
    (await rowsOf(device)).map(([, , value]) => value),
    [1, 2, 3],
  );
  assert.deepEqual(await latestOf(device), { count: 3 });
});

test("buffered records whose times cannot be believed stay apart and keep their order", async () => {
  const device = await bench.device(caller);
  await device.publish([1, 2, 3].map((count) => ({ ts: count, values: { count } })));
  assert.deepEqual(
    (await rowsOf(device)).map(([, , value]) => value),
    [1, 2, 3],
  );
  const [value] = await bench.telemetry.latest(caller, device.id);
  assert.deepEqual(value, {
    metric: "count",
    value: 3,
    at: bench.clock.now(),
    receivedAt: bench.clock.now(),
    timeReplaced: true,
  });
});

test("acknowledgements of a device come in the order of its messages", async () => {
  const device = await bench.device(caller);
  const order: number[] = [];
  const all = Array.from({ length: 3_000 }, (_, n) => n);
  await Promise.all(all.map((n) => device.publish({ count: n }).then(() => order.push(n))));
  assert.deepEqual(order, all);
});

test("late data is stored without displacing a newer latest value", async () => {
  const device = await bench.device(caller);
  const now = bench.clock.now().getTime();
  await device.publish({ ts: now - 1_000, values: { a: 2 } });
  await device.publish({ ts: now - 2_000, values: { a: 1, b: 1 } });
  await device.publish([
    { ts: now - 500, values: { b: 3 } },
    { ts: now - 700, values: { b: 2 } },
  ]);
  assert.deepEqual(await latestOf(device), { a: 2, b: 3 });
  assert.equal((await rowsOf(device)).length, 5);
});

test("what is stored is what a plain map would hold, however messages fall into batches", async () => {
  const now = bench.clock.now().getTime();
  const values = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(fc.integer(), fc.boolean(), fc.string()), {
    minKeys: 1,
  });
  const message = fc.record({ ts: fc.integer({ min: now - 4, max: now }), values }, { noNullPrototype: true });
  const batches = fc.array(fc.array(message, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(batches, async (sent) => {
      const device = await bench.device(caller);
      for (const batch of sent) await Promise.all(batch.map((one) => device.publish(one)));
      const rows = new Map<string, [string, number, unknown]>();
      for (const { ts, values } of sent.flat()) {
        for (const [metric, value] of Object.entries(values)) {
          rows.set(`${metric} ${ts}`, [metric, ts, value]);
        }
      }
      const expected = [...rows.values()].sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x - y));
      assert.deepEqual(await rowsOf(device), expected);
      assert.deepEqual(
        await latestOf(device),
        Object.fromEntries(expected.map(([metric, , value]) => [metric, value])),
      );
    }),
    { numRuns: 60 },
  );
});

test("a batch that the database cannot store rejects all of its messages, and the next one is stored", async () => {
  const [one, two] = [await bench.device(caller), await bench.device(caller)];
  await one.publish({ before: 1 });
  await bench.query("ALTER TABLE telemetry RENAME TO telemetry_away");
  const outcomes = await Promise.allSettled([one.publish({ lost: 1 }), two.publish({ lost: 2 }), two.publish("bad")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  );
  await bench.query("ALTER TABLE telemetry_away RENAME TO telemetry");
  assert.deepEqual(bench.telemetry.queue(), { messages: 0, bytes: 0 });
  await Promise.all([one.publish({ after: 1 }), two.publish({ after: 2 })]);
  assert.deepEqual(await latestOf(one), { before: 1, after: 1 });
  assert.deepEqual(await latestOf(two), { after: 2 });
  assert.deepEqual(await bench.telemetry.rejectedMessages(caller, two.id), []);
});

test("data the database refuses hurts its own message alone, which is kept as rejected", async () => {
  const device = await bench.device(caller);
  await bench.query("ALTER TABLE telemetry ADD CONSTRAINT no_beast CHECK (number <> 666.25)");
  const sent = Array.from({ length: 50 }, (_, n) => device.publish({ count: n === 31 ? 666.25 : n }));
  const stranger = bench.telemetry.ingest({
    tenantId: caller.tenantId,
    deviceUid: "no uuid",
    deviceId: "x",
    topic: "t",
    payload: Buffer.from('{"a":1}'),
  });
  const outcome = assert.rejects(stranger);
  await Promise.all(sent);
  await outcome;
  await bench.query("ALTER TABLE telemetry DROP CONSTRAINT no_beast");
  const counts = (await rowsOf(device)).map(([, , value]) => value);
  assert.deepEqual(
    counts,
    Array.from({ length: 50 }, (_, n) => n).filter((n) => n !== 31),
  );
  const [rejected, ...none] = await bench.telemetry.rejectedMessages(caller, device.id);
  assert.equal(rejected?.payload.toString(), '{"count":666.25}');
  assert.match(rejected?.reason ?? "", /cannot store/);
  assert.deepEqual(none, []);
});

test("the queue says what is waiting, and draining waits for it", async () => {
  const device = await bench.device(caller);
  const payload = Buffer.from('{"count":1}');
  let stored = 0;
  for (let n = 0; n < 2_500; n++) void device.publish(payload).then(() => stored++);
  assert.deepEqual(bench.telemetry.queue(), { messages: 2_500, bytes: 2_500 * payload.length });
  await bench.telemetry.drain();
  assert.equal(stored, 2_500);
  assert.deepEqual(bench.telemetry.queue(), { messages: 0, bytes: 0 });
  await bench.telemetry.drain();
});

test("whoever else waits for the event loop has a turn between two batches", async () => {
  const device = await bench.device(caller);
  const from = bench.clock.now().getTime() - 10_000;
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  // Three batches, of 2,000 messages at most.
  await Promise.all(Array.from({ length: 4001 }, (_, at) => device.publish({ ts: from + at, values: { a: at } })));
  over = true;
  assert.ok(turns >= 3, `${turns} turns`);
});

test("a device is marked as seen when it speaks, at most once a second", async () => {
  const device = await bench.device(caller);
  const seen = async () =>
    (await bench.query<{ at: Date | null }>("SELECT last_seen_at AS at FROM devices WHERE uid = $1", [device.uid]))[0]
      ?.at;
  assert.equal(await seen(), null);
  const first = bench.clock.now();
  await device.publish({ a: 1 });
  assert.deepEqual(await seen(), first);
  bench.clock.advance(999);
  await device.publish({ a: 1 });
  assert.deepEqual(await seen(), first);
  bench.clock.advance(1);
  await device.publish("bad, but a sign of life");
  assert.deepEqual(await seen(), bench.clock.now());
});

if (onPostgres) {
  test("a device locked by an enrollment does not hold up its telemetry", async () => {
    const device = await bench.device(caller);
    await bench.database.db.transaction().execute(async (tx) => {
      await tx.selectFrom("devices").select("uid").where("uid", "=", device.uid).forUpdate().execute();
      await device.publish({ a: 1 });
      await device.publish("not json");
    });
    assert.deepEqual(await latestOf(device), { a: 1 });
  });

  test("two processes storing the same series in opposite orders lose nothing to each other's locks", async () => {
    const devices = await Promise.all(Array.from({ length: 40 }, () => bench.device(caller)));
    const other = bench.another();
    const ts = bench.clock.now().getTime();
    for (let round = 0; round < 30; round++) {
      const values = { round };
      await Promise.all([
        ...devices.map((device) => device.publish({ ts, values })),
        ...devices.toReversed().map((device) => device.publish({ ts, values }, other)),
      ]);
    }
    for (const device of devices) assert.deepEqual(await rowsOf(device), [["round", ts, 29]]);
  });

  test("a connection that is killed while storing rejects its batch, and the next one is stored", async () => {
    const device = await bench.device(caller);
    const refused = await bench.database.db.transaction().execute(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw("LOCK TABLE telemetry IN EXCLUSIVE MODE"));
      const sent = Promise.allSettled([device.publish({ a: 1 }), device.publish({ b: 1 })]);
      await killWaiter();
      return sent;
    });
    assert.deepEqual(
      refused.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    await device.publish({ a: 2 });
    assert.deepEqual(await latestOf(device), { a: 2 });
  });

  /** Terminates the backend that waits for the lock on telemetry, as soon as there is one. */
  async function killWaiter(): Promise<void> {
    for (let killed = false; !killed; ) {
      const rows = await bench.query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND relation = 'telemetry'::regclass",
      );
      killed = rows.length > 0;
    }
  }
}
