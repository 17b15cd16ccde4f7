import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/parts.ts";
import type { SeriesOfRange } from "../../api/live/series.ts";
import { Problem } from "../../api/problem.ts";
import { Chart } from "../../ui/chart/chart.tsx";
import { chartLines } from "../../ui/chart/chart-lines.ts";
import type { Span } from "../../ui/chart/gaps.ts";
import { isNear } from "../../ui/chart/limits.ts";
import { duration, Empty, reading } from "../../ui/ui.ts";
import { Loaded } from "../loaded.tsx";
import { bandsOf, marksOf, type Watched } from "./device-watch.ts";
import { Legend } from "./legend.tsx";

interface SeriesChartProps {
  deviceId: string;
  /** The description of the chart for screen readers. */
  label: string;
  query: UseQueryResult<SeriesOfRange>;
  watched: Watched;
  onZoom: (span: Span) => void;
}

/** A metric over a range: average, highest and lowest of each point, gaps, limits and anomalies. */
export function SeriesChart(props: SeriesChartProps) {
  const { query } = props;
  if (query.error instanceof Problem && query.error.status === 404) return <Empty title={t.theDeviceIsDeletedAnd} />;
  return (
    <Loaded query={query}>
      {(read) => (
        <div className={query.isPlaceholderData ? "chart-stale" : undefined} aria-busy={query.isPlaceholderData}>
          <Drawn {...props} read={read} />
        </div>
      )}
    </Loaded>
  );
}

function Drawn({ read, deviceId, label, watched, onZoom }: Omit<SeriesChartProps, "query"> & { read: SeriesOfRange }) {
  const { points, bucketSeconds, range, readAt } = read;
  const { limits, anomalies } = watched;
  const lines = useMemo(
    () => chartLines({ points, bucketSeconds, range, now: readAt }),
    [points, bucketSeconds, range, readAt],
  );
  const [least, most] = useMemo(
    () => [Math.min(...points.map(({ min }) => min)), Math.max(...points.map(({ max }) => max))],
    [points],
  );
  const near = useMemo(() => limits.filter(({ value }) => isNear(value, least, most)), [limits, least, most]);
  const bands = useMemo(() => bandsOf(anomalies, readAt), [anomalies, readAt]);
  const marks = useMemo(
    () =>
      marksOf(
        anomalies.filter(({ openedAt }) => isWithin(Date.parse(openedAt), range)),
        deviceId,
      ),
    [anomalies, deviceId, range],
  );
  const count = points.reduce((sum, point) => sum + point.count, 0);
  if (points.length === 0) return <Empty title={t.nothingWasMeasuredInThis}>{t.zoomOutOrChooseAnother}</Empty>;
  return (
    <div className="stack">
      <Chart
        label={label}
        times={lines.times}
        series={lines.series}
        range={range}
        limits={near}
        bands={bands}
        gaps={lines.gaps}
        marks={marks}
        height={300}
        onZoom={onZoom}
      />
      <Legend limits={limits} near={near} gaps={lines.gaps.length} anomalies={anomalies.length} />
      <p className="soft">
        {t.betweenAndEachCovers(
          nouns.reading(count),
          reading(least),
          reading(most),
          nouns.point(points.length),
          duration(bucketSeconds),
        )}
      </p>
    </div>
  );
}

function isWithin(at: number, { from, to }: Span): boolean {
  return at >= from && at < to;
}
