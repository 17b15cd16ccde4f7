import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { seriesQuery } from "../../../api/live/series.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { Chart } from "../../../ui/chart/chart.tsx";
import { withGaps } from "../../../ui/chart/gaps.ts";
import { Empty } from "../../../ui/display/empty.tsx";
import { duration, reading } from "../../../ui/display/format.ts";

interface RangeChartProps {
  deviceId: string;
  metric: string;
  /** How far back. */
  ms: number;
}

const REFRESH_MS = 60_000;
/** Two buckets without a reading are no gap yet. */
const MOST_EMPTY_BUCKETS = 3;

/** A metric over the last hours or days: average, least and most of each bucket. */
export function RangeChart({ deviceId, metric, ms }: RangeChartProps) {
  const query = useQuery({
    ...seriesQuery(deviceId, metric, ms),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query}>
      {({ series, from, to }) =>
        series.points.length === 0 ? (
          <Empty title="Nothing was measured in this time" />
        ) : (
          <Buckets label={metric} series={series} range={{ from, to }} />
        )
      }
    </Loaded>
  );
}

interface BucketsProps {
  label: string;
  series: { bucketSeconds: number; points: readonly { at: string; min: number; avg: number; max: number }[] };
  range: { from: number; to: number };
}

function Buckets({ label, series, range }: BucketsProps) {
  const { bucketSeconds, points } = series;
  const lines = useMemo(() => {
    const most = bucketSeconds * 1000 * MOST_EMPTY_BUCKETS;
    const lineOf = (value: "avg" | "min" | "max") =>
      withGaps(
        points.map((point) => ({ at: Date.parse(point.at), value: point[value] })),
        most,
      );
    const average = lineOf("avg");
    return { times: average.times, average: average.values, least: lineOf("min").values, most: lineOf("max").values };
  }, [points, bucketSeconds]);
  const least = Math.min(...points.map(({ min }) => min));
  const most = Math.max(...points.map(({ max }) => max));
  return (
    <div className="stack">
      <Chart
        label={`${label} over time`}
        times={lines.times}
        range={range}
        series={[
          { label: "average", values: lines.average },
          { label: "highest", values: lines.most },
          { label: "lowest", values: lines.least },
        ]}
        height={300}
      />
      <p className="soft">
        Between {reading(least)} and {reading(most)}; each point covers {duration(bucketSeconds)}.
      </p>
    </div>
  );
}
