import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import type { TelemetryFixture, TestSender } from "../harness/telemetry.ts";

/** The number of metrics that the fixture's processes allow per device. */
export const METRICS_PER_DEVICE = 10;

const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 1]));
const numbered = (from: number, to: number) =>
  named(...Array.from({ length: to - from }, (_, index) => `m${from + index}`));

/** Declares the tests of the limit of metrics per device, for direct storage and the stream. */
export function metricCapRules(given: () => TelemetryFixture): void {
  let fixture: TelemetryFixture;
  let caller: Caller;
  before(async () => {
    fixture = given();
    caller = await fixture.tenant();
  });

  async function metricsOf(device: TestSender): Promise<string[]> {
    return (await fixture.telemetry.listLatest(caller, device.id)).map(({ metric }) => metric);
  }

  async function reasonsOf(device: TestSender): Promise<string[]> {
    return (await fixture.telemetry.listRejected(caller, device.id)).map(({ reason }) => reason);
  }

  test("the values that would add a metric beyond the limit are not stored, and those beside them are", async () => {
    const telemetry = fixture.anotherProcess();
    const device = await fixture.device(caller);
    await device.publish(numbered(0, 9), telemetry);
    await Promise.all([
      device.publish(named("x", "y"), telemetry),
      device.publish(named("m0", "z"), telemetry),
      device.publish(named("w"), telemetry),
      device.publish(named("z", "m8"), telemetry),
    ]);
    await device.publish(named("m1", "v"), telemetry);
    await device.publish(numbered(0, 9), telemetry);
    assert.deepEqual(await metricsOf(device), [...Object.keys(numbered(0, 9)), "x"]);
    const refused = (await fixture.telemetry.listRejected(caller, device.id)).map(
      ({ reason, storedValues, problems }) => [reason.split(";")[0], storedValues, problems[0]!.path],
    );
    const reason = (metric: string) => `"${metric}" would be a new metric`;
    assert.deepEqual(refused, [
      [reason("v"), 1, "v"],
      [reason("z"), 1, "z"],
      [reason("w"), 0, "w"],
      [reason("z"), 1, "z"],
      [reason("y"), 1, "y"],
    ]);
  });

  test("another process without cached state decides the same, and other devices are not affected", async () => {
    const device = await fixture.device(caller);
    await device.publish(numbered(0, 10), fixture.anotherProcess());
    const telemetry = fixture.anotherProcess();
    const other = await fixture.device(caller);
    await Promise.all([device.publish(named("x"), telemetry), other.publish(named("x"), telemetry)]);
    await device.publish(numbered(3, 10), telemetry);
    assert.equal((await metricsOf(device)).length, METRICS_PER_DEVICE);
    assert.deepEqual(await metricsOf(other), ["x"]);
    assert.equal((await reasonsOf(device)).length, 1);
  });

  test("a device that exceeded the limit before it was set keeps its metrics and adds none", async () => {
    const device = await fixture.device(caller);
    await device.publish(numbered(0, 30), fixture.processWithDefaults());
    const telemetry = fixture.anotherProcess();
    await Promise.all([device.publish(numbered(5, 30), telemetry), device.publish(named("m1", "x"), telemetry)]);
    assert.equal((await metricsOf(device)).length, 30);
    assert.equal((await reasonsOf(device)).length, 1);
  });

  test("the metrics beyond the limit are dropped from all parts of a message of many rows", async () => {
    const telemetry = fixture.anotherProcess();
    const device = await fixture.device(caller);
    const now = fixture.clock.now().getTime();
    const many = (from: number, to: number) =>
      Array.from({ length: 500 }, (_, at) => ({ ts: now - at, values: numbered(from, to) }));
    await device.publish(many(0, 8), telemetry);
    await device.publish(many(4, 12), telemetry);
    assert.deepEqual(await metricsOf(device), Object.keys(numbered(0, 10)).toSorted());
    const [refused] = await fixture.telemetry.listRejected(caller, device.id);
    assert.deepEqual([refused?.storedValues, refused?.problemCount], [3_000, 2]);
    const [rows] = await fixture.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM shared_readings WHERE device_uid = $1",
      [device.uid],
    );
    assert.equal(rows?.count, 5_000);
  });

  test("processes that add metrics to one device simultaneously never exceed the limit, and reach it", async () => {
    for (let round = 0; round < 10; round++) {
      const device = await fixture.device(caller);
      const processes = [fixture.anotherProcess(), fixture.anotherProcess(), fixture.anotherProcess()];
      await Promise.all(
        processes.flatMap((telemetry, process) =>
          Array.from({ length: 8 }, (_, n) => device.publish(named(`p${process}-${n}`), telemetry)),
        ),
      );
      assert.equal((await metricsOf(device)).length, METRICS_PER_DEVICE, `round ${round}`);
      assert.equal((await reasonsOf(device)).length, 24 - METRICS_PER_DEVICE);
    }
  });
}
