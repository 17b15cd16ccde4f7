import type { DeviceType } from "../../api/device-types.ts";
import { reading } from "../../ui/ui.ts";

export type MetricSettings = DeviceType["metrics"];

/** Returns the name of a metric for people: the device type's name for it, or its own. */
export function metricName(metric: string, settings: MetricSettings): string {
  return settings.find((each) => each.metric === metric)?.label ?? metric;
}

/** Returns the name of a metric with its unit, for a chart: `Bearing temperature (°C)`. */
export function metricTitle(metric: string, settings: MetricSettings): string {
  const unit = settings.find((each) => each.metric === metric)?.unit;
  return unit === undefined ? metricName(metric, settings) : `${metricName(metric, settings)} (${unit})`;
}

/** Returns the choices of a field of metrics, with their names and units. */
export function metricChoices(
  metrics: readonly string[],
  settings: MetricSettings,
): { value: string; label: string }[] {
  return metrics.map((metric) => ({ value: metric, label: metricTitle(metric, settings) }));
}

/** Formats a value of a metric, a number with its unit. */
export function metricValue(metric: string | null, value: unknown, settings: MetricSettings): string {
  const unit = typeof value === "number" ? settings.find((each) => each.metric === metric)?.unit : undefined;
  return unit === undefined ? reading(value) : `${reading(value)} ${unit}`;
}
