import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { openTelemetryFixture, type TelemetryFixture } from "../../harness/telemetry.ts";
import { FORMAT_CASES } from "./payloads.ts";
import { formatRules } from "./suite-formats.ts";

describe("formats of device types", () => {
  let fixture: TelemetryFixture;
  before(async () => {
    fixture = await openTelemetryFixture();
  });
  after(() => fixture.close());

  formatRules(() => fixture);
});

describe("formats of device types over MQTT", () => {
  let server: TestServer;
  let tenant: TestTenant;
  before(async () => {
    server = await startServer();
    tenant = await newTenant(server);
  });
  after(() => server?.stop());

  test("a connected device publishes in every format that its type is given", async () => {
    const { devices, telemetry } = server.app;
    const { caller } = tenant;
    for (const [name, { settings, payload, stored }] of Object.entries(FORMAT_CASES)) {
      await devices.updateDeviceType(caller, tenant.deviceTypeId, { payloadFormat: "auto", metrics: [], ...settings });
      const device = await enrollDevice(server, tenant);
      const client = await connectMqtt(server, device);
      await client.publishAsync(device.topic, payload, { qos: 1 });
      const latest = await telemetry.listLatest(caller, device.deviceId);
      assert.deepEqual(Object.fromEntries(latest.map(({ metric, value }) => [metric, value])), stored, name);
      await client.endAsync();
    }
  });

  test("settings that contradict each other are refused, naming the metric", async () => {
    const { devices } = server.app;
    const change = (settings: object) => devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, settings);
    const refused = [
      { payloadFormat: "telegraf", metrics: [{ metric: "t", pointer: "/t" }] },
      { payloadFormat: "auto", metrics: [{ metric: "t", pointer: "t" }] },
      { metrics: [{ metric: "t", factor: 0 }] },
      { metrics: [{ metric: "t" }, { metric: "t" }] },
    ];
    for (const settings of refused) await assert.rejects(change(settings), { code: "invalid_request", detail: "t" });
    await change({ payloadFormat: "auto", metrics: [{ metric: "t", pointer: "/t" }] });
    await assert.rejects(change({ payloadFormat: "telegraf" }), { code: "invalid_request", detail: "t" });
  });
});
