import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { randomIds } from "../../src/lib/ids.ts";
import type { TelemetryFixture } from "../harness/telemetry.ts";

/** Declares the tests of messages that are no telemetry, and of who may read them. */
export function rejectedRules(given: () => TelemetryFixture): void {
  let fixture: TelemetryFixture;
  let caller: Caller;
  before(async () => {
    fixture = given();
    caller = await fixture.tenant();
  });

  test("a bad payload is stored unchanged with its topic and reason, and valid ones beside it are stored as readings", async () => {
    const device = await fixture.device(caller);
    const bad = Buffer.from([0x00, 0xff, 0x27, 0x5c, 0x22, 0x7b]);
    await Promise.all([device.publish({ a: 1 }), device.publish(bad), device.publish({ a: 2 })]);
    const [stored, ...none] = await fixture.telemetry.listRejected(caller, device.id);
    assert.deepEqual(none, []);
    assert.deepEqual(Buffer.from(stored!.payload), bad);
    assert.equal(stored!.payloadBytes, bad.length);
    assert.equal(stored!.topic, `t/${caller.tenantSlug}/telemetry/${device.id}`);
    assert.equal(stored!.reason, "the payload is not valid UTF-8");
    assert.deepEqual(stored!.at.getTime(), fixture.clock.now().getTime());
    assert.equal((await fixture.telemetry.listLatest(caller, device.id))[0]?.value, 2);
  });

  test("the valid values of a message are stored, and the others recorded with path and reason", async () => {
    const device = await fixture.device(caller);
    const refusal = await device.publish({ good: 1, bad: null, place: { lat: 2, lon: [] } });
    assert.equal(refusal, undefined);
    const latest = await fixture.telemetry.listLatest(caller, device.id);
    assert.deepEqual(
      latest.map(({ metric, value }) => [metric, value]),
      [
        ["good", 1],
        ["place.lat", 2],
      ],
    );
    const [stored] = await fixture.telemetry.listRejected(caller, device.id);
    assert.equal(stored?.reason, '"bad" is null; a value is a number, true, false or a string (and 1 more)');
    assert.deepEqual([stored.storedValues, stored.problemCount], [2, 2]);
    assert.deepEqual(stored.problems, [
      { path: "/bad", reason: '"bad" is null; a value is a number, true, false or a string' },
      { path: "/place/lon", reason: '"place.lon" is an array; a value is a number, true, false or a string' },
    ]);
  });

  test("of a message of many rows, what cannot be stored is recorded once", async () => {
    const device = await fixture.device(caller);
    const now = fixture.clock.now().getTime();
    const values = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`m${n}`, n]));
    await device.publish(Array.from({ length: 100 }, (_, n) => ({ ts: now - n, values: { ...values, bad: null } })));
    const stored = await fixture.telemetry.listRejected(caller, device.id);
    assert.deepEqual(
      stored.map(({ storedValues, problemCount, problems }) => [storedValues, problemCount, problems.length]),
      [[1_000, 100, 20]],
    );
  });

  test("the last 20 rejected messages of a device are stored, newest first, across batches and within one", async () => {
    const [device, other] = [await fixture.device(caller), await fixture.device(caller)];
    await other.publish("other's");
    for (let n = 0; n < 15; n++) await device.publish(`bad ${n}`);
    await Promise.all(Array.from({ length: 10 }, (_, n) => device.publish(`bad ${15 + n}`)));
    const stored = async () =>
      (await fixture.telemetry.listRejected(caller, device.id)).map(({ payload }) => payload.toString());
    assert.deepEqual(
      await stored(),
      Array.from({ length: 20 }, (_, n) => `bad ${24 - n}`),
    );

    await Promise.all(Array.from({ length: 500 }, (_, n) => device.publish(`flood ${n}`)));
    assert.deepEqual(
      await stored(),
      Array.from({ length: 20 }, (_, n) => `flood ${499 - n}`),
    );
    const [count] = await fixture.query<{ rows: number }>(
      "SELECT count(*)::int AS rows FROM rejected_messages WHERE device_uid = $1",
      [device.uid],
    );
    assert.equal(count?.rows, 20);
    assert.equal((await fixture.telemetry.listRejected(caller, other.id)).length, 1);
  });

  test("the start and the length of a long rejected payload are stored", async () => {
    const device = await fixture.device(caller);
    await device.publish(Buffer.concat([Buffer.alloc(16_384, "x"), Buffer.alloc(1, "y")]));
    await device.publish(Buffer.alloc(200_000, "x"));
    const [largest, longer] = await fixture.telemetry.listRejected(caller, device.id);
    for (const stored of [largest, longer]) assert.equal(stored?.payload.toString(), "x".repeat(16_384));
    assert.deepEqual([largest?.payloadBytes, longer?.payloadBytes], [200_000, 16_385]);
    assert.match(largest?.reason ?? "", /^the payload has 200000 bytes/);
  });

  test("values and rejected messages of another tenant's device are not found, like those of an unknown device", async () => {
    const device = await fixture.device(caller);
    await device.publish({ a: 1 });
    await device.publish("bad");
    const foreign = await fixture.tenant();
    const namesake = await fixture.device(foreign, device.id);
    assert.deepEqual(await fixture.telemetry.listLatest(foreign, namesake.id), []);
    assert.deepEqual(await fixture.telemetry.listRejected(foreign, namesake.id), []);
    const other = await fixture.tenant();
    for (const id of [device.id, "nowhere", "a\0b"]) {
      await assert.rejects(fixture.telemetry.listLatest(other, id), {
        code: "not_found",
        message: "There is no such device.",
      });
      await assert.rejects(fixture.telemetry.listRejected(other, id), { code: "not_found" });
    }
  });

  test("reading needs devices:read, and a deleted device is not found, even while its telemetry is still stored", async () => {
    const device = await fixture.device(caller);
    await device.publish({ a: 1 });
    const key: Caller = {
      ...caller,
      rights: { kind: "key", keyId: "k", scopes: new Set(["groups:read"]), owner: { userId: "u", role: "admin" } },
    };
    await assert.rejects(fixture.telemetry.listLatest(key, device.id), { code: "insufficient_scope" });
    await assert.rejects(fixture.telemetry.listRejected(key, device.id), { code: "insufficient_scope" });

    await fixture.query("UPDATE devices SET deleted_at = $2 WHERE uid = $1", [device.uid, fixture.clock.now()]);
    await device.publish({ a: 2 });
    await assert.rejects(fixture.telemetry.listLatest(caller, device.id), { code: "not_found" });
    const rows = await fixture.query("SELECT number FROM shared_readings WHERE device_uid = $1", [device.uid]);
    assert.equal(rows.length, 2);
  });

  test("a user who is not an admin reads only the devices of the user's groups", async () => {
    const [inside, outside] = [await fixture.device(caller), await fixture.device(caller)];
    const [userId, groupId, now] = [
      randomIds.uuid(fixture.clock.now()),
      randomIds.uuid(fixture.clock.now()),
      fixture.clock.now(),
    ];
    await fixture.query(
      "INSERT INTO users (id, tenant_id, email, role, password_hash, created_at) VALUES ($1, $2, $3, 'viewer', 'x', $4)",
      [userId, caller.tenantId, `${userId}@example.org`, now],
    );
    await fixture.query(
      "INSERT INTO groups (id, tenant_id, name, created_at, updated_at) VALUES ($1, $2, 'g', $3, $3)",
      [groupId, caller.tenantId, now],
    );
    await fixture.query("INSERT INTO group_members VALUES ($1, $2)", [groupId, userId]);
    await fixture.query("INSERT INTO device_groups VALUES ($1, $2)", [inside.uid, groupId]);
    const viewer: Caller = { ...caller, rights: { kind: "user", userId, role: "viewer" } };
    assert.deepEqual(await fixture.telemetry.listLatest(viewer, inside.id), []);
    await assert.rejects(fixture.telemetry.listLatest(viewer, outside.id), { code: "not_found" });
  });
}
