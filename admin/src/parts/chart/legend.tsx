import type { Limit } from "../../ui/chart/limits.ts";
import { plural } from "../../ui/display/format.ts";
import { Status } from "../../ui/display/status.tsx";
import "./legend.css";

interface LegendProps {
  limits: readonly (Limit & { packId?: string })[];
  /** Those that the axis shows. */
  near: readonly Limit[];
  /** How many times without a reading are hatched. */
  gaps: number;
  anomalies: number;
}

/** What the marks of a chart mean. */
export function Legend({ limits, near, gaps, anomalies }: LegendProps) {
  if (limits.length === 0 && gaps === 0 && anomalies === 0) return null;
  return (
    <ul className="chart-legend" aria-label="What the chart marks">
      {limits.map(({ value, tone, label, packId }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rules may say the same
        <li key={at}>
          <Status tone={tone} plain>
            {packId ? <a href={`/thresholds/${packId}`}>{label}</a> : label}
          </Status>
          {!near.some((limit) => limit.value === value) && <span className="soft"> (beyond the chart)</span>}
        </li>
      ))}
      {anomalies > 0 && <li className="soft">Shaded: {plural(anomalies, "anomaly", "anomalies")}</li>}
      {gaps > 0 && <li className="soft">Hatched: nothing was measured</li>}
    </ul>
  );
}
