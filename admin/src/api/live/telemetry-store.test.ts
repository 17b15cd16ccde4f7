import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { TelemetryStore } from "./telemetry-store.ts";

function change(value: number | string, at: number, deviceId = "pump-1", metric = "temperature") {
  const time = new Date(at).toISOString();
  const values = [{ metric, value, at: time, receivedAt: time, timeReplaced: false }];
  return { kind: "telemetry.changed", deviceId, data: { values } };
}

test("a burst is drawn once, with the last value and every point", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const store = new TelemetryStore("pump-1");
  let drawn = 0;
  store.subscribe(() => drawn++);
  for (let at = 1; at <= 1000; at++) store.receive(change(at, at));
  store.receive(change("ignored", 2000, "pump-2"));
  store.receive({ kind: "device.online", deviceId: "pump-1", data: {} });
  assert.equal(drawn, 0);
  mock.timers.tick(250);
  assert.equal(drawn, 1);
  assert.equal(store.snapshot().latest.get("temperature")?.value, 1000);
  assert.equal(store.snapshot().points.get("temperature")?.length, 1000);
  mock.timers.tick(10_000);
  assert.equal(drawn, 1);
  store.close();
  mock.timers.reset();
});

test("a store that stays open keeps its size, and late or textual values make no points", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const store = new TelemetryStore("pump-1");
  for (let at = 1; at <= 5000; at++) store.receive(change(at, at));
  store.receive(change(0, 10));
  store.receive(change("on", 6000, "pump-1", "mode"));
  mock.timers.tick(250);
  const { points, latest } = store.snapshot();
  assert.deepEqual([points.get("temperature")?.length, points.get("temperature")?.at(-1)?.at], [3600, 5000]);
  assert.deepEqual([points.get("mode"), latest.get("mode")?.value], [undefined, "on"]);
  store.close();
  mock.timers.reset();
});
