import { type MetricSettings, metricName } from "./metric-text.ts";

/** The name of a metric for people, with the name under which it is stored. */
export function MetricName({ metric, settings }: { metric: string; settings: MetricSettings }) {
  const name = metricName(metric, settings);
  if (name === metric) return metric;
  return (
    <>
      {name} <span className="mono soft">{metric}</span>
    </>
  );
}
