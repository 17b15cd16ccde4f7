import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { createMetrics } from "../../src/lib/metrics/metrics.ts";
import type { Telemetry } from "../../src/telemetry/telemetry.ts";
import { testFeatures } from "../harness/features.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../harness/telemetry.ts";

let fixture: TelemetryFixture;
before(async () => {
  fixture = await openTelemetryFixture();
});
after(() => fixture.close());

/** A slow process: each read of the clock takes five seconds, so that a run of its job ends after a few hours. */
function slowProcess(): Telemetry {
  const { clock, database } = fixture;
  const slow: Clock = {
    now() {
      clock.advance(5 * SECOND);
      return clock.now();
    },
    monotonicMs: () => clock.monotonicMs(),
  };
  return testFeatures({ database, clock: slow }).telemetry;
}

async function deviceOfTenant(hours: number, tenant?: Caller): Promise<TestSender> {
  const device = await fixture.device(tenant ?? (await fixture.tenant()));
  const start = Math.floor(fixture.clock.now().getTime() / HOUR - hours) * HOUR;
  await device.publish(Array.from({ length: hours }, (_, n) => ({ ts: start + n * HOUR, values: { a: n } })));
  return device;
}

async function hoursDue({ uid }: TestSender): Promise<number> {
  return (await fixture.query("SELECT FROM roll_up_marks WHERE device_uid = $1", [uid])).length;
}

test("however many hours of a tenant are due, those of others are computed in the same run", async () => {
  const big = await deviceOfTenant(200);
  fixture.clock.advance(MINUTE);
  const small = [await deviceOfTenant(1), await deviceOfTenant(2)];
  fixture.clock.advance(3 * MINUTE);
  await slowProcess().rollUp();
  for (const device of small) assert.equal(await hoursDue(device), 0);
  const left = await hoursDue(big);
  assert.ok(left > 100 && left < 200, `${left} hours are left`);
  await fixture.telemetry.rollUp();
  assert.equal(await hoursDue(big), 0);
});

test("tenants with more due hours than a run computes have their turns in later runs", async () => {
  const devices: TestSender[] = [];
  for (let n = 0; n < 60; n++) devices.push(await deviceOfTenant(n % 20 === 0 ? 24 : 1));
  fixture.clock.advance(3 * MINUTE);
  const process = slowProcess();
  const left = async () => (await Promise.all(devices.map(hoursDue))).reduce((sum, hours) => sum + hours);
  const all = await left();
  await process.rollUp();
  const first = await left();
  assert.ok(first > 0 && first < all, `of ${all} hours ${first} are left`);
  for (let run = 0; run < 4; run++) await process.rollUp();
  for (const [n, device] of devices.entries()) if (n % 20 !== 0) assert.equal(await hoursDue(device), 0);
});

test("an hour that cannot be computed delays no other of any tenant, and is retried later", async () => {
  const metrics = createMetrics();
  const { telemetry } = testFeatures({ ...fixture, metrics });
  const caller = await fixture.tenant();
  const broken = await deviceOfTenant(1, caller);
  fixture.clock.advance(3 * MINUTE);
  await telemetry.rollUp();
  const change = (data: string) =>
    fixture.query(
      "UPDATE telemetry_chunks SET data = set_byte(data, 0, $2::integer) FROM telemetry_shapes s WHERE s.shape_no = telemetry_chunks.shape_no AND s.device_uid = $1",
      [broken.uid, data],
    );
  await change("99");
  await broken.publish({ ts: Math.floor(fixture.clock.now().getTime() / HOUR - 1) * HOUR + 1, values: { a: 1 } });
  const others = [await deviceOfTenant(1), await deviceOfTenant(25), await deviceOfTenant(25, caller)];
  fixture.clock.advance(3 * MINUTE);
  await assert.rejects(telemetry.rollUp(), /wrote the chunk \(format 99\)/);
  for (const device of others) assert.equal(await hoursDue(device), 0);
  assert.equal(await hoursDue(broken), 1);
  await telemetry.rollUp();
  await telemetry.measure();
  assert.match(await metrics.text(), /muster_roll_ups_due 0\n/);
  assert.match(await metrics.text(), /muster_roll_ups_failed 1\n/);
  await change("1");
  fixture.clock.advance(10 * MINUTE);
  await telemetry.rollUp();
  assert.equal(await hoursDue(broken), 0);
  await telemetry.measure();
  assert.match(await metrics.text(), /muster_roll_ups_failed 0\n/);
});
