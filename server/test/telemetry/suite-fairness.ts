import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { assignPacks } from "../harness/anomalies.ts";
import type { TelemetryFixture, TestSender } from "../harness/telemetry.ts";

/** Devices that have sent a value of `a`: enough for every shard to have some. */
export async function devicesOf(fixture: TelemetryFixture, tenant: Caller): Promise<TestSender[]> {
  const devices = await Promise.all(Array.from({ length: 8 }, () => fixture.device(tenant)));
  await Promise.all(devices.map((device) => device.publish({ a: 0 })));
  return devices;
}

export async function reasonsOf(
  { telemetry }: Pick<TelemetryFixture, "telemetry">,
  tenant: Caller,
  device: TestSender,
): Promise<string[]> {
  return (await telemetry.listRejected(tenant, device.id)).map(({ reason }) => reason);
}

/**
 * Declares the tests that tenants do not delay each other, for direct storage and the stream.
 * @param size of a flood, and how many of its messages may be acknowledged before those of another tenant
 */
export function fairnessRules(given: () => TelemetryFixture, size: { flood: number; most: number }): void {
  let fixture: TelemetryFixture;
  let caller: Caller;
  let other: Caller;
  before(async () => {
    fixture = given();
    [caller, other] = [await fixture.tenant(), await fixture.tenant()];
  });

  test("a tenant with thousands of waiting messages delays another's message by no more than a share of a batch", async () => {
    const [flooding, quiet] = [await devicesOf(fixture, caller), await devicesOf(fixture, other)];
    let stored = 0;
    const flood = Array.from({ length: size.flood }, (_, n) =>
      flooding[n % flooding.length]!.publish({ a: n, b: n }).then(() => stored++),
    );
    await Promise.all(quiet.map((device) => device.publish({ a: 1 })));
    assert.ok(stored <= size.most, `${stored} messages of the flood were stored before`);
    await Promise.all(flood);
  });

  test("a message with many readings of one metric is stored in parts and evaluated as one, by time", async () => {
    const device = await fixture.device(caller);
    const { id } = await fixture.features.rules.createThreshold(caller, {
      name: "Alternating",
      rules: [{ metric: "t", operator: "gt", value: 90, severity: "major" }],
    });
    await assignPacks(fixture, caller, device.id, id);
    const now = fixture.clock.now().getTime();
    const readings = Array.from({ length: 1_000 }, (_, at) => ({
      ts: now - at,
      values: { t: at % 2 === 0 ? 0 : 100 },
    }));
    await device.publish(readings);
    const found = () =>
      fixture.query("SELECT status, occurrences::int FROM anomalies WHERE threshold_id = $1 ORDER BY opened_at", [id]);
    assert.deepEqual(await found(), [{ status: "resolved", occurrences: 500 }]);
    const [latest] = await fixture.telemetry.listLatest(caller, device.id);
    assert.deepEqual([latest?.value, latest?.at.getTime()], [0, now]);
    const [rows] = await fixture.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM shared_readings WHERE device_uid = $1",
      [device.uid],
    );
    assert.equal(rows?.count, 1_000);
  });

  test("many large rejected messages are stored in batches of bounded size", async () => {
    const devices = await devicesOf(fixture, caller);
    const payload = Buffer.alloc(130_000, "[");
    await Promise.all(devices.flatMap((device) => Array.from({ length: 12 }, () => device.publish(payload))));
    for (const device of devices) assert.equal((await reasonsOf(fixture, caller, device)).length, 12);
  });

  test("an anomaly that opens and ends within one message does not enter the inbox of notifications; others do", async () => {
    const device = await fixture.device(caller);
    const { id } = await fixture.features.rules.createThreshold(caller, {
      name: "Hot",
      rules: [{ metric: "t", operator: "gt", value: 90, severity: "major" }],
    });
    await assignPacks(fixture, caller, device.id, id);
    const now = fixture.clock.now().getTime();
    const readings = (...values: number[]) => values.map((t, at) => ({ ts: now + at, values: { t } }));
    const inbox = () =>
      fixture.query<{ status: string }>(
        "SELECT changed_row->>'status' AS status FROM notification_inbox WHERE tenant_id = $1 ORDER BY seq",
        [caller.tenantId],
      );
    await device.publish(readings(95, 20, 95, 20));
    const [stored] = await fixture.query("SELECT status, occurrences::int FROM anomalies WHERE threshold_id = $1", [
      id,
    ]);
    assert.deepEqual([stored, await inbox()], [{ status: "resolved", occurrences: 2 }, []]);
    fixture.clock.advance(1_000);
    await device.publish({ t: 95 });
    assert.deepEqual(await inbox(), [{ status: "open" }]);
    await device.publish({ t: 20 });
    assert.deepEqual(await inbox(), [{ status: "open" }, { status: "resolved" }]);
  });
}
