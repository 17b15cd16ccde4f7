import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/parts.ts";
import type { Limit } from "../../ui/chart/limits.ts";
import { Status } from "../../ui/ui.ts";
import "./legend.css";

interface LegendProps {
  limits: readonly (Limit & { packId?: string })[];
  /** The limits that the axis shows. */
  near: readonly Limit[];
  /** The number of hatched gaps. */
  gaps: number;
  anomalies: number;
}

export function Legend({ limits, near, gaps, anomalies }: LegendProps) {
  if (limits.length === 0 && gaps === 0 && anomalies === 0) return null;
  return (
    <ul className="chart-legend list" aria-label={t.whatTheChartMarks}>
      {limits.map((limit, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rules may say the same
        <li key={at}>
          <Status plain of={[limit.tone, <Rule key="rule" {...limit} />]} />
          {!near.some(({ value }) => value === limit.value) && <span className="soft">{t.beyondTheChart}</span>}
        </li>
      ))}
      {anomalies > 0 && <li className="soft">{t.shaded(nouns.anomaly(anomalies))}</li>}
      {gaps > 0 && <li className="soft">{t.hatchedNothingWasMeasured}</li>}
    </ul>
  );
}

function Rule({ label, packId }: LegendProps["limits"][number]) {
  return packId ? <a href={`/thresholds/${packId}`}>{label}</a> : label;
}
