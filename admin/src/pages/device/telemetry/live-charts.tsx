import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { t } from "#texts/pages/device.ts";
import type { Schemas } from "../../../api/client.ts";
import { latestQuery } from "../../../api/devices.ts";
import { recentSeriesQuery } from "../../../api/live/series.ts";
import type { TelemetrySnapshot } from "../../../api/live/telemetry-store.ts";
import { bandsOf, marksOf, useDeviceWatch, type Watched } from "../../../parts/chart/device-watch.ts";
import { Legend } from "../../../parts/chart/legend.tsx";
import { LIVE } from "../../../parts/chart/time-range.ts";
import { type MetricSettings, metricTitle, metricValue } from "../../../parts/metrics/metric-text.ts";
import { useMetricSettings } from "../../../parts/metrics/use-metric-settings.ts";
import { Chart } from "../../../ui/chart/chart.tsx";
import type { Point, Span } from "../../../ui/chart/gaps.ts";
import { isNear } from "../../../ui/chart/limits.ts";
import { Action, Ago, Section, Status, useNow } from "../../../ui/ui.ts";
import { type LiveLine, liveLine } from "./live-lines.ts";
import { SaveLines } from "./save-csv.tsx";
import { type ChartsProps, RemoveMetric } from "./shown-metrics.tsx";
import { useTelemetry } from "./use-telemetry.ts";

const FOLLOWED = { staleTime: Number.POSITIVE_INFINITY };

/** The last ten minutes of each metric, growing as the device publishes. */
export function LiveCharts({ deviceId, metrics, range, onRemove }: ChartsProps) {
  const [paused, setPaused] = useState(false);
  const { lines, state, isRead } = useLines(deviceId, metrics, paused);
  const now = useNow();
  const until = useRef(now);
  // A device whose clock is ahead draws beyond the present.
  if (!paused) until.current = Math.max(now, ...lines.map(({ last }) => last?.at ?? 0));
  const span = { from: until.current - LIVE.ms, to: until.current };
  const settings = useMetricSettings(deviceId);
  const watchedOf = useDeviceWatch(deviceId, range.span.from, undefined);
  return metrics.map((metric, index) => (
    <Section
      key={metric}
      title={metricTitle(metric, settings)}
      actions={
        <>
          {index === 0 && <SaveLines deviceId={deviceId} metrics={metrics} lines={lines} span={span} />}
          {index === 0 && <Action small label={paused ? t.continue : t.pause} onClick={() => setPaused(!paused)} />}
          <RemoveMetric metric={metric} onRemove={onRemove} />
        </>
      }
    >
      <LiveChart
        deviceId={deviceId}
        metric={metric}
        settings={settings}
        drawn={lines[index]!}
        isRead={isRead}
        span={span}
        watched={watchedOf(metric)}
        state={paused ? "paused" : state}
        onZoom={range.show}
      />
    </Section>
  ));
}

/** Returns the line of each metric, frozen while the charts are paused. */
function useLines(deviceId: string, metrics: readonly string[], paused: boolean) {
  const queries = metrics.map((metric) => ({ ...recentSeriesQuery(deviceId, metric, LIVE.ms), ...FOLLOWED }));
  // `combine` returns the same array while the results are the same.
  const stored = useQueries({ queries, combine: (results) => results.map(({ data }) => data) });
  const { points, state } = useTelemetry(deviceId, metrics);
  const latest = useQuery(latestQuery(deviceId)).data;
  const lines = useMemo(
    () =>
      metrics.map((metric, index) =>
        liveLine(stored[index]?.points ?? [], points.get(metric) ?? [], latestPoint(latest?.items, metric)),
      ),
    [metrics, stored, points, latest],
  );
  const shown = useRef({ metrics, lines });
  if (!paused || shown.current.metrics !== metrics) shown.current = { metrics, lines };
  return { lines: shown.current.lines satisfies LiveLine[], state, isRead: stored.every((each) => each !== undefined) };
}

function latestPoint(items: readonly Schemas["LatestValue"][] | undefined, metric: string): Point | undefined {
  const found = items?.find((each) => each.metric === metric);
  return typeof found?.value === "number" ? { at: Date.parse(found.at), value: found.value } : undefined;
}

interface LiveChartProps {
  deviceId: string;
  metric: string;
  settings: MetricSettings;
  drawn: LiveLine;
  /** Set when the stored readings have been read. */
  isRead: boolean;
  span: Span;
  watched: Watched;
  state: TelemetrySnapshot["state"] | "paused";
  onZoom: (span: Span) => void;
}

/** The last ten minutes of one metric. */
function LiveChart({ deviceId, metric, settings, drawn, isRead, span, watched, state, onZoom }: LiveChartProps) {
  const { line, last } = drawn;
  const { limits, anomalies } = watched;
  const near = useMemo(() => nearLimits(watched, line.values), [watched, line]);
  const recent = anomalies.filter(({ openedAt }) => Date.parse(openedAt) >= span.from);
  return (
    <div className="stack">
      <Chart
        label={t.lastTenMinutes(metricTitle(metric, settings))}
        times={line.times}
        series={[{ label: metricTitle(metric, settings), values: line.values }]}
        range={span}
        limits={near}
        bands={bandsOf(anomalies, span.to)}
        marks={marksOf(recent, deviceId)}
        height={300}
        onZoom={onZoom}
      />
      <Legend limits={limits} near={near} gaps={0} anomalies={anomalies.length} />
      <p className="row">
        <Status
          of={[
            state === "paused" ? "neutral" : state === "live" ? "good" : "warn",
            state === "paused" ? t.paused : state === "live" ? t.live : t.waitingForTheService,
          ]}
        />
        {last && (
          <span>
            {t.latest(
              <strong>{metricValue(metric, last.value, settings)}</strong>,
              <Ago at={new Date(last.at).toISOString()} />,
            )}
          </span>
        )}
        {isRead && !last && <span>{t.noReadingInTheLast}</span>}
      </p>
    </div>
  );
}

function nearLimits({ limits }: Watched, values: readonly (number | null)[]): Watched["limits"] {
  const numbers = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return limits.filter(({ value }) => isNear(value, least, most));
}
