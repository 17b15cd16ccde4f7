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
  const store = new TelemetryStore("pump-1", ["temperature", "pressure"]);
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

test("a store that stays open keeps its size: late values and metrics that no chart shows make no points", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const store = new TelemetryStore("pump-1", ["temperature", "pressure"]);
  for (let at = 1; at <= 5000; at++) store.receive(change(at, at));
  store.receive(change(0, 10));
  store.receive(change("on", 6000, "pump-1", "mode"));
  store.receive(change(4.2, 6000, "pump-1", "pressure"));
  mock.timers.tick(250);
  const { points, latest } = store.snapshot();
  const temperatures = points.get("temperature")!;
  assert.deepEqual([temperatures.length, temperatures.at(-1)?.at], [3600, 5000]);
  assert.deepEqual(points.get("pressure"), [{ at: 6000, value: 4.2 }]);
  assert.equal(points.get("mode"), undefined);
  assert.deepEqual([latest.get("mode")?.value, latest.get("pressure")?.value], ["on", 4.2]);
  store.close();
  mock.timers.reset();
});
