import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { MetricSetting, PayloadFormat } from "../../server/src/devices/devices.ts";
import { formatOf } from "../../server/src/telemetry/parse/format.ts";
import { type ParsedPayload, parsePayload, type Reading } from "../../server/src/telemetry/parse/payload.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/telemetry.md"), "utf8");
const NOW = Date.parse("2026-11-21T12:00:00Z");

/** Returns the rows of a section's table whose two cells are code. */
function rowsOf(heading: string): [payload: string, result: string][] {
  const section = PAGE.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\| `(.+)` \| `(.+)` \|$/gm)].map(([, payload, result]) => [payload!, result!]);
}

function describe({ readings, rejected }: ParsedPayload, heading: string): string | undefined {
  if (heading === "Rejected" && readings.length === 0) return rejected?.reason;
  const stored = readings.map(describeReading).join("; ");
  const problems = rejected?.problems ?? [];
  return [stored, ...problems.map(({ path, reason }) => `not ${path}: ${reason}`)].join("; ");
}

function describeReading({ metrics, values, time, timeReplaced }: Reading): string {
  const pairs = metrics.map((metric, index) => `${metric}=${JSON.stringify(values[index])}`);
  const at = time === undefined ? "the server's time" : new Date(time / 1000).toISOString();
  return `${pairs.join(" ")} at ${at}${timeReplaced ? ", flagged" : ""}`;
}

for (const heading of ["Accepted", "Partly stored", "Rejected"]) {
  test(`docs/telemetry.md: the parser answers each payload of "${heading}" as the table says`, () => {
    const rows = rowsOf(heading);
    assert.ok(rows.length >= 4, `${rows.length} rows`);
    for (const [payload, result] of rows) {
      const parsed = parsePayload(Buffer.from(payload), NOW);
      assert.equal(parsed.rejected !== undefined, heading !== "Accepted", payload);
      assert.equal(describe(parsed, heading), result, payload);
    }
  });
}

const BINARY = new Set(["senml-cbor", "cayenne-lpp"]);

test("docs/telemetry.md: the parser answers each payload of a device type's format as the tables say", () => {
  const section = PAGE.split(/^## /m).find((each) => each.startsWith("Formats\n")) ?? "";
  const rows = [...section.matchAll(/^\| `(.+)` \| `(.+)` \| `(.+)` \|$/gm)];
  assert.equal(rows.length, 7);
  for (const [, setting, payload, result] of rows as unknown as [string, string, string, string][]) {
    const format = setting.startsWith("[")
      ? formatOf({ payloadFormat: "auto", metrics: JSON.parse(setting) as MetricSetting[] })
      : formatOf({ payloadFormat: setting as PayloadFormat, metrics: [] });
    const parsed = parsePayload(Buffer.from(payload, BINARY.has(setting) ? "hex" : "utf8"), NOW, 1_000, format);
    assert.equal(parsed.readings.length > 0 ? describe(parsed, "Formats") : parsed.rejected?.reason, result, payload);
  }
});
