import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Caller } from "../../../src/access/access.ts";
import type { NewDeviceType } from "../../../src/devices/device-types.ts";
import { eventually } from "../../harness/eventually.ts";
import type { TelemetryFixture, TestSender } from "../../harness/telemetry.ts";
import { latestValues } from "../stored-values.ts";
import { FORMAT_CASES } from "./payloads.ts";

type Settings = Pick<NewDeviceType, "payloadFormat" | "metrics">;

/** Declares the tests of payload formats of device types. */
export function formatRules(given: () => TelemetryFixture): void {
  let fixture: TelemetryFixture;
  let caller: Caller;
  before(async () => {
    fixture = given();
    caller = await fixture.tenant();
  });
  const latestOf = (device: TestSender) => latestValues(fixture, caller, device);

  async function newType(settings: Settings): Promise<string> {
    const { devices } = fixture.features;
    return (await devices.createDeviceType(caller, { name: "Sensor", publishTopics: ["x/{deviceId}"], ...settings }))
      .id;
  }

  const setType = (device: TestSender, deviceTypeId: string | null) =>
    fixture.features.devices.changeDevice(caller, device.id, { deviceTypeId });

  async function deviceOf(settings: Settings): Promise<{ device: TestSender; type: string }> {
    const [device, type] = [await fixture.device(caller), await newType(settings)];
    await setType(device, type);
    return { device, type };
  }

  /** Publishes until the value of a metric is this: a process learns of a change within a moment. */
  async function publishUntil(device: TestSender, payload: unknown, metric: string, value: unknown): Promise<void> {
    const isSo = await eventually(async () => {
      await device.publish(payload);
      return (await latestOf(device))[metric] === value;
    });
    assert.ok(isSo, `${metric} is ${value}`);
  }

  for (const [format, { settings, payload, stored }] of Object.entries(FORMAT_CASES)) {
    test(`a device whose type has the format ${format} stores what its payloads say`, async () => {
      const { device } = await deviceOf(settings);
      await device.publish(payload);
      assert.deepEqual(await latestOf(device), stored);
    });
  }

  test("a changed format of a type, and another type of a device, apply to what arrives afterwards", async () => {
    const { device, type } = await deviceOf({ metrics: [{ metric: "t", factor: 2 }] });
    const other = await newType({ metrics: [{ metric: "t", factor: 7 }] });
    await device.publish({ t: 1 });
    assert.deepEqual(await latestOf(device), { t: 2 });
    await fixture.features.devices.updateDeviceType(caller, type, { metrics: [{ metric: "t", factor: 5 }] });
    await publishUntil(device, { t: 1 }, "t", 5);
    await setType(device, other);
    await publishUntil(device, { t: 1 }, "t", 7);
    await setType(device, null);
    await publishUntil(device, { t: 1 }, "t", 1);
  });

  test("the first messages of a device are stored in order, while the format of its type is loaded", async () => {
    const { device } = await deviceOf({ metrics: [{ metric: "n", factor: 10 }] });
    const order: number[] = [];
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const published = numbers.map((n) => device.publish({ n }).then(() => order.push(n)));
    await Promise.all(published);
    assert.deepEqual(order, numbers);
    assert.deepEqual(await latestOf(device), { n: 1_990 });
  });

  test("messages that arrive while a type changes have its former or its present format, and none a third", async () => {
    const { device, type } = await deviceOf({ metrics: [{ metric: "n", factor: 2 }] });
    const change = (factor: number) =>
      fixture.features.devices.updateDeviceType(caller, type, { metrics: [{ metric: "n", factor }] });
    const publish = () => Promise.all(Array.from({ length: 50 }, () => device.publish({ n: 1 })));
    await Promise.all([publish(), change(3), publish(), change(2), publish()]);
    await fixture.stored();
    const values = await fixture.query<{ number: number }>(
      "SELECT DISTINCT number FROM shared_readings WHERE device_uid = $1",
      [device.uid],
    );
    assert.ok(values.every(({ number }) => number === 2 || number === 3));
    await publishUntil(device, { n: 1 }, "n", 2);
  });

  test("a payload of another format is rejected, with the reason", async () => {
    const { device } = await deviceOf({ payloadFormat: "senml-cbor" });
    await device.publish({ temperature: 21.5 });
    const [rejected] = await fixture.telemetry.listRejected(caller, device.id);
    assert.equal(rejected?.payload.toString(), '{"temperature":21.5}');
    assert.deepEqual(await latestOf(device), {});
  });
}
