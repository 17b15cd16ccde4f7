import { common } from "#texts/common.ts";
import { t } from "#texts/payloads.ts";
import type { DeviceType } from "../../api/device-types.ts";

type MetricSetting = DeviceType["metrics"][number];

/** The fields of a metric in a form; an empty text is an absent setting. */
export type MetricValues = Record<keyof MetricSetting, string>;

export const NEW_METRIC: MetricValues = { metric: "", label: "", unit: "", pointer: "", factor: "" };

export function metricValues({ metric, label, unit, pointer, factor }: MetricSetting): MetricValues {
  const text = (value: string | number | undefined) => String(value ?? "");
  return { metric, label: text(label), unit: text(unit), pointer: text(pointer), factor: text(factor) };
}

/** Returns the settings of the fields. Only JSON has places to point to. */
export function metricSettings(metrics: readonly MetricValues[], payloadFormat: string): MetricSetting[] {
  return metrics.map(({ metric, label, unit, pointer, factor }) => ({
    metric: metric.trim(),
    ...(label.trim() && { label: label.trim() }),
    ...(unit.trim() && { unit: unit.trim() }),
    ...(pointer.trim() && payloadFormat === "auto" && { pointer: pointer.trim() }),
    ...(factor.trim() && { factor: Number(factor.replace(",", ".")) }),
  }));
}

/** Returns the metrics that are not stored: those without a JSON Pointer, if another one has one. */
export function unstoredMetrics<T extends { pointer?: string }>(metrics: readonly T[]): T[] {
  return metrics.some(({ pointer }) => pointer) ? metrics.filter(({ pointer }) => !pointer) : [];
}

/** The checks of the fields of each metric. */
export const METRIC_RULES = {
  metric: (value: string) => (value.trim() === "" ? common.enterAValue : null),
  pointer: (value: string) => (/^(\s*|\/.*)$/.test(value.trim()) && !/~(?![01])/.test(value) ? null : t.enterPointer),
  factor: (value: string) => {
    const factor = Number(value.replace(",", "."));
    return value.trim() === "" || (Number.isFinite(factor) && factor !== 0) ? null : t.enterFactor;
  },
};
