import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { seriesQuery } from "../../api/live/series.ts";
import type { Anomaly } from "../../api/monitoring/anomalies.ts";
import { useDeviceWatch } from "../../parts/chart/device-watch.ts";
import { metricsParameter } from "../../parts/chart/metric-names.ts";
import { RangeBar } from "../../parts/chart/range-bar.tsx";
import { SeriesChart } from "../../parts/chart/series-chart.tsx";
import { addressOf } from "../../parts/chart/time-range.ts";
import { useTimeRange } from "../../parts/chart/use-time-range.ts";
import { limitsOf, rangeOf } from "../../ui/chart/chart-lines.ts";
import type { Span } from "../../ui/chart/gaps.ts";
import { reading } from "../../ui/display/format.ts";
import { Section } from "../../ui/page/page.tsx";
import { SEVERITIES } from "../../words/monitoring.ts";

/** What was measured when the anomaly opened, and the limit that was crossed. */
export function AnomalyChart({ anomaly }: { anomaly: Anomaly }) {
  const { metric, value } = anomaly;
  if (metric === null || typeof value !== "number") return null;
  return <Measured anomaly={anomaly} metric={metric} />;
}

function Measured({ anomaly, metric }: { anomaly: Anomaly; metric: string }) {
  const { deviceId, openedAt, lastObservedAt } = anomaly;
  const whole = useMemo(() => rangeOf({ openedAt, lastObservedAt }, Date.now()), [openedAt, lastObservedAt]);
  const range = useTimeRange(whole);
  const query = useQuery({ ...seriesQuery(deviceId, metric, range.span), placeholderData: keepPreviousData });
  return (
    <Section
      title={metric}
      lead="From an hour before it opened to an hour after it was last observed."
      actions={<a href={telemetryOf(deviceId, metric, range.span)}>All of its telemetry</a>}
    >
      <RangeBar range={range} whole="Back to the anomaly" />
      <SeriesChart
        deviceId={deviceId}
        label={`${metric} around the anomaly`}
        query={query}
        watched={useWatched(anomaly, metric, range.span)}
        onZoom={range.show}
      />
    </Section>
  );
}

/** What the device is watched by, and the limit of this anomaly as it was then: its rule may have been changed since. */
function useWatched(anomaly: Anomaly, metric: string, span: Span) {
  const { deviceId, limit, severity } = anomaly;
  const watchedOf = useDeviceWatch(deviceId, span.from, span.to);
  const { limits, anomalies } = watchedOf(metric);
  return useMemo(() => {
    const then = limitsOf(limit).filter((value) => !limits.some((each) => each.value === value));
    const [tone, word] = SEVERITIES[severity];
    const former = then.map((value) => ({ value, tone, label: `${word} then: limit ${reading(value)}` }));
    return { limits: [...limits, ...former], anomalies };
  }, [limits, anomalies, limit, severity]);
}

function telemetryOf(deviceId: string, metric: string, span: Span): string {
  const query = new URLSearchParams({ tab: "telemetry", metric: metricsParameter([metric]), ...addressOf(span) });
  return `/devices/${encodeURIComponent(deviceId)}?${query}`;
}
