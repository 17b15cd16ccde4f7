import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { seriesQuery } from "../../../api/live/series.ts";
import { limitsOfRule } from "../../../parts/chart/device-watch.ts";
import { Legend } from "../../../parts/chart/legend.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Chart } from "../../../ui/chart/chart.tsx";
import { chartLines } from "../../../ui/chart/chart-lines.ts";
import { duration } from "../../../ui/display/format.ts";
import { SEVERITIES } from "../../../words/monitoring.ts";
import type { Tried } from "./tried.ts";

/** What the device measured, the limits of the rules, and the times of the anomalies that they would have opened. */
export function DryRunChart({ metric, tried, deviceId }: { metric: string; tried: Tried; deviceId: string }) {
  const { from, to, rules, run } = tried;
  const range = useMemo(() => ({ from, to }), [from, to]);
  const query = useQuery(seriesQuery(deviceId, metric, range));
  const bands = useMemo(
    () =>
      run.anomalies
        .filter((each) => each.metric === metric)
        .map(({ openedAt, resolvedAt, severity }) => ({
          from: Date.parse(openedAt),
          to: resolvedAt === null ? to : Date.parse(resolvedAt),
          tone: SEVERITIES[severity][0],
        })),
    [run, metric, to],
  );
  return (
    <Loaded query={query}>
      {({ points, bucketSeconds, readAt }) => {
        if (points.length === 0) return null;
        const limits = rules.filter((rule) => rule.metric === metric).flatMap(limitsOfRule);
        const { times, series, gaps } = chartLines({ points, bucketSeconds, range, now: readAt });
        return (
          <div className="stack">
            <div>
              <h3>{metric}</h3>
              <span className="soft">Dashed: the limits. Each point covers {duration(bucketSeconds)}.</span>
            </div>
            <Chart
              label={`${metric} with the anomalies that the rules would have opened`}
              times={times}
              series={series}
              range={range}
              limits={limits}
              bands={bands}
              gaps={gaps}
              height={260}
            />
            <Legend limits={limits} near={limits} gaps={gaps.length} anomalies={bands.length} />
          </div>
        );
      }}
    </Loaded>
  );
}
