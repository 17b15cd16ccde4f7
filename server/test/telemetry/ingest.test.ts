import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CompiledQuery } from "kysely";
import type { Caller } from "../../src/access/access.ts";
import { onPostgres } from "../harness/database/database.ts";
import { OF_THIS_DATABASE } from "../harness/database/postgres.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../harness/telemetry.ts";
import { latestValues, storedRows } from "./stored-values.ts";
import { storingRules } from "./suite-storing.ts";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
});
after(() => fixture.close());

const rowsOf = (device: TestSender) => storedRows(fixture, device);
const latestOf = (device: TestSender) => latestValues(fixture, caller, device);

describe("what is stored", () => storingRules(() => fixture));

test("a message is stored when its promise resolves, with values of every type", async () => {
  const device = await fixture.device(caller);
  const now = fixture.clock.now().getTime();
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

test("acknowledgements of a device come in the order of its messages", async () => {
  const device = await fixture.device(caller);
  const order: number[] = [];
  const all = Array.from({ length: 3_000 }, (_, n) => n);
  await Promise.all(all.map((n) => device.publish({ count: n }).then(() => order.push(n))));
  assert.deepEqual(order, all);
});

test("a batch that the database cannot store rejects all of its messages, and the next one is stored", async () => {
  const [one, two] = [await fixture.device(caller), await fixture.device(caller)];
  await one.publish({ before: 1 });
  await fixture.query("ALTER TABLE telemetry_messages RENAME TO telemetry_messages_away");
  const outcomes = await Promise.allSettled([one.publish({ lost: 1 }), two.publish({ lost: 2 }), two.publish("bad")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  );
  await fixture.query("ALTER TABLE telemetry_messages_away RENAME TO telemetry_messages");
  assert.deepEqual(fixture.telemetry.queue(), { messages: 0, bytes: 0 });
  await Promise.all([one.publish({ after: 1 }), two.publish({ after: 2 })]);
  assert.deepEqual(await latestOf(one), { before: 1, after: 1 });
  assert.deepEqual(await latestOf(two), { after: 2 });
  assert.deepEqual(await fixture.telemetry.listRejected(caller, two.id), []);
});

test("data that the database refuses rejects only its own message, which is stored as rejected", async () => {
  const device = await fixture.device(caller);
  await fixture.query("ALTER TABLE telemetry_messages ADD CONSTRAINT no_beast CHECK (numbers[1] <> 666.25)");
  const sent = Array.from({ length: 50 }, (_, n) => device.publish({ count: n === 31 ? 666.25 : n }));
  const invalid = fixture.telemetry.ingest({
    tenantId: caller.tenantId,
    deviceUid: "no uuid",
    deviceId: "x",
    topic: "t",
    payload: Buffer.from('{"a":1}'),
  });
  const outcome = assert.rejects(invalid);
  await Promise.all(sent);
  await outcome;
  await fixture.query("ALTER TABLE telemetry_messages DROP CONSTRAINT no_beast");
  const counts = (await rowsOf(device)).map(([, , value]) => value);
  assert.deepEqual(
    counts,
    Array.from({ length: 50 }, (_, n) => n).filter((n) => n !== 31),
  );
  const [rejected, ...none] = await fixture.telemetry.listRejected(caller, device.id);
  assert.equal(rejected?.payload.toString(), '{"count":666.25}');
  assert.match(rejected?.reason ?? "", /cannot store/);
  assert.deepEqual(none, []);
});

test("queue() counts the waiting messages, and drain() waits for them", async () => {
  const device = await fixture.device(caller);
  const payload = Buffer.from('{"count":1}');
  let stored = 0;
  for (let n = 0; n < 2_500; n++) void device.publish(payload).then(() => stored++);
  assert.deepEqual(fixture.telemetry.queue(), { messages: 2_500, bytes: 2_500 * payload.length });
  await fixture.telemetry.drain();
  assert.equal(stored, 2_500);
  assert.deepEqual(fixture.telemetry.queue(), { messages: 0, bytes: 0 });
  await fixture.telemetry.drain();
});

test("other work of the event loop gets a turn between two batches", async () => {
  const device = await fixture.device(caller);
  const from = fixture.clock.now().getTime() - 10_000;
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  // Three batches of at most 2,000 messages.
  await Promise.all(Array.from({ length: 4001 }, (_, at) => device.publish({ ts: from + at, values: { a: at } })));
  done = true;
  assert.ok(turns >= 3, `${turns} turns`);
});

if (onPostgres) {
  test("a device that an enrollment has locked does not delay its telemetry", async () => {
    const device = await fixture.device(caller);
    await fixture.database.db.transaction().execute(async (tx) => {
      await tx.selectFrom("devices").select("uid").where("uid", "=", device.uid).forUpdate().execute();
      await device.publish({ a: 1 });
      await device.publish("not json");
    });
    assert.deepEqual(await latestOf(device), { a: 1 });
  });

  test("two processes that store the same devices in opposite orders lose no message to a deadlock", async () => {
    const devices = await Promise.all(Array.from({ length: 40 }, () => fixture.device(caller)));
    const other = fixture.anotherProcess();
    const ts = fixture.clock.now().getTime();
    for (let round = 0; round < 30; round++) {
      const values = { round };
      await Promise.all([
        ...devices.map((device) => device.publish({ ts, values })),
        ...devices.toReversed().map((device) => device.publish({ ts, values }, other)),
      ]);
    }
    for (const device of devices) assert.deepEqual(await rowsOf(device), [["round", ts, 29]]);
  });

  test("a connection that ends while a batch is stored rejects that batch, and the next one is stored", async () => {
    const device = await fixture.device(caller);
    const refused = await fixture.database.db.transaction().execute(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw("LOCK TABLE telemetry_messages IN EXCLUSIVE MODE"));
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

  /** Terminates the backend that waits for the lock on telemetry as soon as there is one. */
  async function killWaiter(): Promise<void> {
    for (let killed = false; !killed; ) {
      const rows = await fixture.query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND relation = 'telemetry_messages'::regclass AND ${OF_THIS_DATABASE}`,
      );
      killed = rows.length > 0;
    }
  }
}

test("after a failover that lost the last commits, no values are stored for another device", async () => {
  const [device, other] = [await fixture.device(caller), await fixture.device(caller)];
  await device.publish({ a: 1 });
  await device.publish({ b: 2, c: 3 });
  // The state of a standby that had not received the last message: a device of another process has the number of its
  // shape.
  await fixture.query(
    `WITH lost AS (DELETE FROM telemetry_shapes WHERE device_uid = $1 AND cardinality(metrics) = 2 RETURNING *)
     INSERT INTO telemetry_shapes OVERRIDING SYSTEM VALUE
     SELECT shape_no, $2, digest, metrics, kinds, time_replaced FROM lost`,
    [device.uid, other.uid],
  );
  await fixture.query(
    `DELETE FROM telemetry_messages WHERE shape_no IN (SELECT shape_no FROM telemetry_shapes WHERE device_uid = $1)`,
    [other.uid],
  );
  await fixture.query("UPDATE device_latest SET version = version - 1 WHERE device_uid = $1", [device.uid]);
  await device.publish({ b: 4, c: 5 });
  const stored = "SELECT number FROM shared_readings WHERE device_uid = $1 AND metric = 'b'";
  assert.deepEqual(await fixture.query(stored, [other.uid]), []);
  assert.deepEqual(await fixture.query(stored, [device.uid]), [{ number: 4 }]);
});
