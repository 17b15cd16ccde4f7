import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { seriesBetweenQuery } from "../../api/live/series.ts";
import type { Anomaly } from "../../api/monitoring/anomalies.ts";
import { Problem } from "../../api/problem.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Chart } from "../../ui/chart/chart.tsx";
import { type Bucket, chartLines, limitsOf, rangeOf } from "../../ui/chart/chart-lines.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { duration } from "../../ui/display/format.ts";
import { Section } from "../../ui/page/page.tsx";

/** What was measured when the anomaly opened, and the limit that was crossed. */
export function AnomalyChart({ anomaly }: { anomaly: Anomaly }) {
  const { metric, value, deviceId } = anomaly;
  if (metric === null || typeof value !== "number") return null;
  return (
    <Section
      title={metric}
      lead="From an hour before it opened to an hour after it was last observed."
      actions={
        <a href={`/devices/${encodeURIComponent(deviceId)}?tab=telemetry&metric=${encodeURIComponent(metric)}`}>
          All of its telemetry
        </a>
      }
    >
      <Measured anomaly={anomaly} metric={metric} />
    </Section>
  );
}

function Measured({ anomaly, metric }: { anomaly: Anomaly; metric: string }) {
  const range = useMemo(() => rangeOf(anomaly, Date.now()), [anomaly]);
  const query = useQuery(seriesBetweenQuery(anomaly.deviceId, metric, range));
  if (query.error instanceof Problem && query.error.status === 404)
    return <Empty title="The device is deleted, and its telemetry with it" />;
  return (
    <Loaded query={query}>
      {({ points, bucketSeconds }) =>
        points.length === 0 ? (
          <Empty title="Nothing is stored of this time">The retention of telemetry may have ended since.</Empty>
        ) : (
          <Lines anomaly={anomaly} metric={metric} range={range} points={points} bucketSeconds={bucketSeconds} />
        )
      }
    </Loaded>
  );
}

interface LinesProps {
  anomaly: Anomaly;
  metric: string;
  range: { from: number; to: number };
  points: readonly Bucket[];
  bucketSeconds: number;
}

function Lines({ anomaly, metric, range, points, bucketSeconds }: LinesProps) {
  const lines = useMemo(
    () => chartLines({ points, bucketSeconds, range, limits: limitsOf(anomaly.limit) }),
    [points, bucketSeconds, range, anomaly.limit],
  );
  return (
    <div className="stack">
      <Chart
        label={`${metric} around the anomaly`}
        times={lines.times}
        series={lines.series}
        range={range}
        height={280}
      />
      <p className="soft">Each point covers {duration(bucketSeconds)}.</p>
    </div>
  );
}
