import { parseJsonPointer } from "../lib/json/json-pointer.ts";
import { records } from "../lib/limits/records.ts";
import { nameProblem } from "../lib/metric-name.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { plainLine } from "../lib/text.ts";

/** The formats in which payloads of a device type may be decoded. */
export const PAYLOAD_FORMATS = ["auto", "senml-json", "senml-cbor", "telegraf", "cayenne-lpp"] as const;
export type PayloadFormat = (typeof PAYLOAD_FORMATS)[number];

/** The description of one metric in a device type. */
export interface MetricSetting {
  metric: string;
  label?: string | undefined;
  unit?: string | undefined;
  /** The place of the value (RFC 6901). If a metric has one, only metrics with a place are read. */
  pointer?: string | undefined;
  /** The factor by which numbers are multiplied. */
  factor?: number | undefined;
}

export interface PayloadSettings {
  payloadFormat: PayloadFormat;
  metrics: readonly MetricSetting[];
}

const MAX_METRICS = records.metricsOfDeviceType.value;

/** @throws MusterError invalid_request, with the setting at fault in `detail` */
export function checkPayloadSettings({ payloadFormat, metrics }: PayloadSettings): void {
  if (!PAYLOAD_FORMATS.includes(payloadFormat)) {
    throw invalidRequest(`payloadFormat is one of ${PAYLOAD_FORMATS.join(", ")}`, "payloadFormat");
  }
  if (metrics.length > MAX_METRICS) throw invalidRequest(`at most ${MAX_METRICS} metrics`, "metrics");
  const names = new Set<string>();
  for (const setting of metrics) {
    if (names.has(setting.metric)) throw invalidRequest("each metric may be described once", setting.metric);
    names.add(setting.metric);
    checkMetric(setting, payloadFormat);
  }
}

function checkMetric({ metric, label, unit, pointer, factor }: MetricSetting, format: PayloadFormat): void {
  const problem = nameProblem(metric);
  if (problem !== undefined) throw invalidRequest(problem, "metrics");
  if (label !== undefined) plainLine("label", label);
  if (unit !== undefined) plainLine("unit", unit, records.unitCharacters.value);
  if (factor !== undefined && (!Number.isFinite(factor) || factor === 0)) {
    throw invalidRequest("a factor is a number other than 0", metric);
  }
  if (pointer === undefined) return;
  if (format !== "auto") throw invalidRequest('a JSON Pointer needs the payload format "auto"', metric);
  const isTooLong = pointer.length > records.pointerCharacters.value;
  if (isTooLong || !pointer.isWellFormed() || pointer.includes("\0") || parseJsonPointer(pointer) === undefined) {
    throw invalidRequest("a pointer is a JSON Pointer (RFC 6901), such as /data/temperature", metric);
  }
}
