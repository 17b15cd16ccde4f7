import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../src/access/access.ts";
import { randomIds } from "../src/lib/ids.ts";
import { openTelemetry, type TelemetryBench } from "./harness/telemetry.ts";

let bench: TelemetryBench;
let caller: Caller;
before(async () => {
  bench = await openTelemetry();
  caller = await bench.tenant();
});
after(() => bench.close());

test("a bad payload is kept whole with its topic and reason, and the good ones beside it are stored", async () => {
  const device = await bench.device(caller);
  const bad = Buffer.from([0x00, 0xff, 0x27, 0x5c, 0x22, 0x7b]);
  await Promise.all([device.publish({ a: 1 }), device.publish(bad), device.publish({ a: 2 })]);
  const [kept, ...none] = await bench.telemetry.rejectedMessages(caller, device.id);
  assert.deepEqual(none, []);
  assert.deepEqual(Buffer.from(kept!.payload), bad);
  assert.equal(kept!.topic, `t/${caller.tenantSlug}/telemetry/${device.id}`);
  assert.equal(kept!.reason, "the payload is not valid UTF-8");
  assert.deepEqual(kept!.at.getTime(), bench.clock.now().getTime());
  assert.equal((await bench.telemetry.latest(caller, device.id))[0]?.value, 2);
});

test("one bad value refuses its whole message", async () => {
  const device = await bench.device(caller);
  await device.publish({ good: 1, bad: null });
  assert.deepEqual(await bench.telemetry.latest(caller, device.id), []);
  const [kept] = await bench.telemetry.rejectedMessages(caller, device.id);
  assert.equal(kept?.reason, '"bad" is null; a value is a number, true, false or a string');
});

test("a device keeps its last 20 rejected messages, newest first, over batches and within one", async () => {
  const [device, other] = [await bench.device(caller), await bench.device(caller)];
  await other.publish("other's");
  for (let n = 0; n < 15; n++) await device.publish(`bad ${n}`);
  await Promise.all(Array.from({ length: 10 }, (_, n) => device.publish(`bad ${15 + n}`)));
  const kept = async () =>
    (await bench.telemetry.rejectedMessages(caller, device.id)).map(({ payload }) => payload.toString());
  assert.deepEqual(
    await kept(),
    Array.from({ length: 20 }, (_, n) => `bad ${24 - n}`),
  );

  await Promise.all(Array.from({ length: 500 }, (_, n) => device.publish(`flood ${n}`)));
  assert.deepEqual(
    await kept(),
    Array.from({ length: 20 }, (_, n) => `flood ${499 - n}`),
  );
  const [count] = await bench.query<{ rows: number }>(
    "SELECT count(*)::int AS rows FROM rejected_messages WHERE device_uid = $1",
    [device.uid],
  );
  assert.equal(count?.rows, 20);
  assert.equal((await bench.telemetry.rejectedMessages(caller, other.id)).length, 1);
});

test("an oversized payload is kept up to the size that would have been good", async () => {
  const device = await bench.device(caller);
  await device.publish(Buffer.alloc(200_000, "x"));
  const [kept] = await bench.telemetry.rejectedMessages(caller, device.id);
  assert.equal(kept?.payload.length, 131_072);
  assert.match(kept?.reason ?? "", /^the payload has 200000 bytes/);
});

test("values and rejected messages are another tenant's secret, the same as of a device that is nowhere", async () => {
  const device = await bench.device(caller);
  await device.publish({ a: 1 });
  await device.publish("bad");
  const stranger = await bench.tenant();
  const namesake = await bench.device(stranger, device.id);
  assert.deepEqual(await bench.telemetry.latest(stranger, namesake.id), []);
  assert.deepEqual(await bench.telemetry.rejectedMessages(stranger, namesake.id), []);
  const other = await bench.tenant();
  for (const id of [device.id, "nowhere", "a\0b"]) {
    await assert.rejects(bench.telemetry.latest(other, id), {
      code: "not_found",
      message: "There is no such device.",
    });
    await assert.rejects(bench.telemetry.rejectedMessages(other, id), { code: "not_found" });
  }
});

test("reading needs devices:read, and a deleted device is gone though its telemetry stays", async () => {
  const device = await bench.device(caller);
  await device.publish({ a: 1 });
  const key: Caller = { ...caller, rights: { kind: "key", keyId: "k", scopes: new Set(["groups:read"]) } };
  await assert.rejects(bench.telemetry.latest(key, device.id), { code: "insufficient_scope" });
  await assert.rejects(bench.telemetry.rejectedMessages(key, device.id), { code: "insufficient_scope" });

  await bench.query("UPDATE devices SET deleted_at = $2 WHERE uid = $1", [device.uid, bench.clock.now()]);
  await device.publish({ a: 2 });
  await assert.rejects(bench.telemetry.latest(caller, device.id), { code: "not_found" });
  const rows = await bench.query("SELECT number FROM telemetry WHERE device_uid = $1", [device.uid]);
  assert.equal(rows.length, 2);
});

test("a user who is no admin reads the devices of the user's groups only", async () => {
  const [inside, outside] = [await bench.device(caller), await bench.device(caller)];
  const [userId, groupId, now] = [
    randomIds.uuid(bench.clock.now()),
    randomIds.uuid(bench.clock.now()),
    bench.clock.now(),
  ];
  await bench.query(
    "INSERT INTO users (id, tenant_id, email, role, password_hash, created_at) VALUES ($1, $2, $3, 'viewer', 'x', $4)",
    [userId, caller.tenantId, `${userId}@example.org`, now],
  );
  await bench.query("INSERT INTO groups (id, tenant_id, name, created_at, updated_at) VALUES ($1, $2, 'g', $3, $3)", [
    groupId,
    caller.tenantId,
    now,
  ]);
  await bench.query("INSERT INTO group_members VALUES ($1, $2)", [groupId, userId]);
  await bench.query("INSERT INTO device_groups VALUES ($1, $2)", [inside.uid, groupId]);
  const viewer: Caller = { ...caller, rights: { kind: "user", userId, role: "viewer" } };
  assert.deepEqual(await bench.telemetry.latest(viewer, inside.id), []);
  await assert.rejects(bench.telemetry.latest(viewer, outside.id), { code: "not_found" });
});
