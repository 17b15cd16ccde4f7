import type { NewDeviceType } from "../../../src/devices/device-types.ts";

/** A payload of a format, with the metrics that are stored of it. */
export interface FormatCase {
  settings: Pick<NewDeviceType, "payloadFormat" | "metrics">;
  payload: Buffer;
  stored: Record<string, unknown>;
}

const json = (document: unknown) => Buffer.from(JSON.stringify(document));

const TELEGRAF = { name: "cpu", tags: { host: "h", cpu: "cpu0" }, fields: { usage_idle: 97.5 }, timestamp: 0 };

export const FORMAT_CASES: Record<string, FormatCase> = {
  "SenML in JSON": {
    settings: { payloadFormat: "senml-json" },
    payload: json([{ bn: "pump/", n: "temperature", v: 21.5 }]),
    stored: { "pump/temperature": 21.5 },
  },
  "SenML in CBOR": {
    settings: { payloadFormat: "senml-cbor" },
    payload: Buffer.from("83a32162702f0063616263 02f93e00a200616404f5a200616503626f6b".replaceAll(" ", ""), "hex"),
    stored: { "p/abc": 1.5, "p/d": true, "p/e": "ok" },
  },
  Telegraf: {
    settings: { payloadFormat: "telegraf" },
    payload: json({ metrics: [TELEGRAF, { ...TELEGRAF, name: "mem", fields: { used: 5 } }] }),
    stored: { "cpu.cpu0.usage_idle": 97.5, "mem.cpu0.used": 5 },
  },
  "Cayenne LPP": {
    settings: { payloadFormat: "cayenne-lpp", metrics: [{ metric: "temperature_3", factor: 10 }] },
    payload: Buffer.from("03670110056700ff", "hex"),
    stored: { temperature_3: 272, temperature_5: 25.5 },
  },
  "JSON Pointers": {
    settings: { metrics: [{ metric: "temperature", pointer: "/d/0/t", factor: 0.5, unit: "°C", label: "Bearing" }] },
    payload: json({ d: [{ t: 43 }], other: 1 }),
    stored: { temperature: 21.5 },
  },
};
