import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { signIn } from "../../harness/sign-in.ts";
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

  test("a person tries payloads on a type, and nothing is stored", async () => {
    const viewer = await signIn(server, tenant, "viewer");
    const path = `/device-types/${tenant.deviceTypeId}/try-payload`;
    const change = (settings: object) =>
      server.app.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, {
        payloadFormat: "auto",
        metrics: [],
        ...settings,
      });
    const tried = async (payload: string, encoding: string) =>
      await viewer.call("POST", path, { body: { payload, encoding } });
    for (const [name, { settings, payload, stored }] of Object.entries(FORMAT_CASES)) {
      await change(settings);
      for (const encoding of ["base64", "hex"] as const) {
        const { status, json } = await tried(payload.toString(encoding), encoding);
        assert.deepEqual([status, json.rejected, json.payloadBytes], [200, null, payload.length], name);
        const values: { metric: string; value: unknown }[] = json.readings.flatMap(
          (each: { values: [] }) => each.values,
        );
        assert.deepEqual(Object.fromEntries(values.map(({ metric, value }) => [metric, value])), stored, name);
      }
    }
    await change({});
    const partly = await tried('{"a":1,"b":null}', "text");
    assert.deepEqual(partly.json.readings[0].values, [{ metric: "a", value: 1 }]);
    assert.deepEqual(partly.json.rejected.problems, [
      { path: "/b", reason: '"b" is null; a value is a number, true, false or a string' },
    ]);
    const odd = await tried("abc", "hex");
    assert.deepEqual([odd.status, odd.json.detail], [400, "payload"]);
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
