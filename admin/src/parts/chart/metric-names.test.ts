import assert from "node:assert/strict";
import { test } from "node:test";
import { metricsOf, metricsParameter } from "./metric-names.ts";

test("any names of metrics go through the address", () => {
  for (const names of [[], ["temperature"], ["a,b", "c"], ["\\", ",", "50 %", "ä\\,b"]])
    assert.deepEqual(metricsOf(metricsParameter(names)), names);
  assert.equal(metricsParameter(["temperature", "speed"]), "temperature,speed");
  assert.deepEqual([metricsOf(undefined), metricsOf(""), metricsOf(",a,,b,")], [[], [], ["a", "b"]]);
});
