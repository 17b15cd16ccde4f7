import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../../../src/access/access.ts";
import { HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../../harness/telemetry.ts";

/** Readings and series of many devices. */
let fixture: TelemetryFixture;

before(async () => {
  fixture = await openTelemetryFixture();
  await fixture.telemetry.maintainPartitions();
});
after(() => fixture.close());

/** A random number generator whose sequence is the same in each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const METRICS = ["Zeta", "a", "temperature", "é", "🌡"];
const keyOf = ({ deviceId, metric, at }: { deviceId: string; metric: string; at: Date }) =>
  `${deviceId} ${metric} ${at.getTime()}`;

test("a walk over devices neither skips nor repeats a reading, while devices and readings are added at random", async () => {
  const next = random(7);
  for (let round = 0; round < 6; round++) {
    const caller = await fixture.tenant();
    const now = fixture.clock.now().getTime();
    const from = new Date(now - HOUR);
    const to = new Date(now);
    const devices: TestSender[] = [];
    const present = new Set<string>();
    const send = async (device: TestSender, isCounted: boolean) => {
      const metric = METRICS[next(METRICS.length)]!;
      const ts = now - 1 - next(HOUR - 1);
      await device.publish({ ts, values: { [metric]: next(100) } });
      if (isCounted) present.add(`${device.id} ${metric} ${ts}`);
    };
    for (let n = 0; n < 1 + next(70); n++) devices.push(await fixture.device(caller));
    for (let n = 0; n < 60; n++) await send(devices[next(devices.length)]!, true);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await fixture.telemetry.listFleetReadings(caller, { from, to, limit: 1 + next(9), cursor });
      seen.push(...page.items.map(keyOf));
      cursor = page.next;
      if (next(4) === 0) devices.push(await fixture.device(caller));
      for (let n = next(3); n > 0; n--) await send(devices[next(devices.length)]!, false);
    } while (cursor !== undefined);
    assert.equal(new Set(seen).size, seen.length, "nothing twice");
    assert.deepEqual(
      [...present].filter((key) => !seen.includes(key)),
      [],
      "nothing missing",
    );
  }
});

/** Three devices that have sent the minutes of half an hour. */
async function threeDevices(caller: Caller) {
  const now = fixture.clock.now().getTime();
  const from = new Date(now - 30 * MINUTE);
  const devices = [await fixture.device(caller), await fixture.device(caller), await fixture.device(caller)];
  for (const device of devices)
    for (let minute = 0; minute < 30; minute++)
      await device.publish({ ts: from.getTime() + minute * MINUTE, values: { level: minute, open: minute % 2 === 0 } });
  return { devices, range: { from, to: new Date(now) } };
}

test("devices, groups, types and metrics narrow the walk", async () => {
  const caller = await fixture.tenant();
  const { devices, range } = await threeDevices(caller);
  const { groups, devices: records } = fixture.features;
  const group = await groups.createGroup(caller, { name: "Hall" });
  await records.patchDevice(caller, devices[1]!.id, { groupIds: [group.id] });
  const all = await fixture.telemetry.listFleetReadings(caller, range);
  assert.deepEqual([all.items.length, all.next], [180, undefined]);
  const only = async (query: object) => {
    const { items } = await fixture.telemetry.listFleetReadings(caller, { ...range, ...query });
    return [...new Set(items.map(({ deviceId, metric }) => `${deviceId} ${metric}`))].sort();
  };
  assert.deepEqual(await only({ groupIds: [group.id] }), [`${devices[1]!.id} level`, `${devices[1]!.id} open`]);
  assert.deepEqual(await only({ groupIds: ["no-id"] }), []);
  assert.deepEqual(await only({ deviceTypeIds: [group.id] }), []);
  const two = [devices[0]!.id, devices[2]!.id].sort();
  assert.deepEqual(
    await only({ deviceIds: two, metrics: ["level", "none"] }),
    two.map((id) => `${id} level`),
  );
  const stranger = await fixture.tenant();
  assert.deepEqual((await fixture.telemetry.listFleetReadings(stranger, { ...range, deviceIds: two })).items, []);
});

test("series of many devices equal those of each, and come in pages", async () => {
  const caller = await fixture.tenant();
  const { devices, range } = await threeDevices(caller);
  const query = { ...range, bucketSeconds: 600 };
  const first = await fixture.telemetry.listFleetSeries(caller, { ...query, limit: 4 });
  const second = await fixture.telemetry.listFleetSeries(caller, { ...query, limit: 4, cursor: first.next });
  assert.deepEqual([first.items.length, second.items.length, second.next], [4, 2, undefined]);
  for (const { deviceId, metric, ...series } of [...first.items, ...second.items])
    assert.deepEqual(series, await fixture.telemetry.readSeries(caller, deviceId, metric, query));
  assert.deepEqual(
    new Set([...first.items, ...second.items].map(({ deviceId }) => deviceId)),
    new Set(devices.map(({ id }) => id)),
  );
});

test("a forged cursor is refused", async () => {
  const caller = await fixture.tenant();
  const range = { from: new Date(0), to: fixture.clock.now() };
  for (const forged of ["x", '["a"]', '["a","b",1.5]', '["\\u0000","b",1]', "[1,2,3]", "null"]) {
    const cursor = Buffer.from(forged).toString("base64url");
    await assert.rejects(fixture.telemetry.listFleetReadings(caller, { ...range, cursor }), {
      code: "invalid_request",
    });
  }
});
