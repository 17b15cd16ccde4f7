import assert from "node:assert/strict";
import { test } from "node:test";
import type { MetricSetting, PayloadFormat } from "../../devices/devices.ts";
import { formatOf } from "./format.ts";
import { parsePayload } from "./payload.ts";

const NOW = 1_790_000_000_000;

/** Returns the values of a payload, one object per reading, or the reason if there are none. */
function read(payloadFormat: PayloadFormat, payload: Buffer | object, metrics: MetricSetting[] = []): unknown {
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
  const { readings, rejected } = parsePayload(bytes, NOW, 1_000, formatOf({ payloadFormat, metrics }));
  if (readings.length === 0) return rejected!.reason;
  return readings.map((reading) =>
    Object.fromEntries(reading.metrics.map((metric, index) => [metric, reading.values[index]])),
  );
}

test("the examples of Cayenne LPP are read, and a type that is not known ends the reading", () => {
  const gps = { "gps_1.latitude": 42.3519, "gps_1.longitude": -87.9094, "gps_1.altitude": 10 };
  assert.deepEqual(read("cayenne-lpp", Buffer.from("03670110056700FF018806765ff2960a0003e8", "hex")), [
    { temperature_3: 27.2, temperature_5: 25.5, ...gps },
  ]);
  assert.deepEqual(read("cayenne-lpp", Buffer.from("0367011004ff00", "hex")), [{ temperature_3: 27.2 }]);
  assert.equal(read("cayenne-lpp", Buffer.from("036701", "hex")), "the data ends early");
});

test("SenML in CBOR is read, and hostile CBOR is refused before anything is allocated", () => {
  const pack = Buffer.from(
    "83a3216270 2f0063616263 02f93e00 a2006164 04f5 a200616503626f6b".replaceAll(" ", ""),
    "hex",
  );
  assert.deepEqual(read("senml-cbor", pack), [{ "p/abc": 1.5, "p/d": true, "p/e": "ok" }]);
  assert.match(String(read("senml-cbor", Buffer.from("9b00ffffffffffffff", "hex"))), /the end is missing/);
  assert.match(String(read("senml-cbor", Buffer.alloc(5_000, 0x81))), /more than 8 levels/);
  const empty = Buffer.concat([Buffer.from("9f", "hex"), Buffer.alloc(30_000, 0xa0), Buffer.from("ff", "hex")]);
  assert.match(String(read("senml-cbor", empty)), /more than 25000 arrays and maps/);
  const notText = Buffer.from("8161ff", "hex");
  assert.match(String(read("senml-cbor", notText)), /a text that is not UTF-8/);
});

test("fields of Telegraf's series stay apart by their tags", () => {
  const tags = { host: "h", cpu: "cpu0" };
  const cpu = { name: "cpu", tags, fields: { usage_idle: 97.5 }, timestamp: NOW / 1000 };
  const memory = { name: "mem", tags: { host: "h" }, fields: { used: 5, bad: null }, timestamp: NOW / 1000 };
  assert.deepEqual(read("telegraf", { metrics: [cpu, memory] }), [{ "cpu.cpu0.usage_idle": 97.5, "mem.used": 5 }]);
  assert.deepEqual(read("telegraf", cpu), [{ "cpu.cpu0.usage_idle": 97.5 }]);
});

test("a type reads the values at its pointers only, multiplied by their factors", () => {
  const metrics = [
    { metric: "temperature", pointer: "/d/0/t", factor: 0.5 },
    { metric: "absent", pointer: "/none" },
  ];
  assert.deepEqual(read("auto", { d: [{ t: 43 }], other: 1 }, metrics), [{ temperature: 21.5 }]);
  assert.match(String(read("auto", { a: 1 }, metrics)), /^no JSON Pointer of the device type leads to a value/);
});
