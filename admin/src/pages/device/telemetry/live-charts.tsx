import { Button } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { recentSeriesQuery } from "../../../api/live/series.ts";
import { useDeviceWatch } from "../../../parts/chart/device-watch.ts";
import { LIVE } from "../../../parts/chart/time-range.ts";
import { useNow } from "../../../ui/display/time.tsx";
import { Section } from "../../../ui/page/page.tsx";
import { LiveChart } from "./live-chart.tsx";
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
  const watchedOf = useDeviceWatch(deviceId, range.span.from, undefined);
  return metrics.map((metric, index) => (
    <Section
      key={metric}
      title={metric}
      actions={
        <>
          {index === 0 && <SaveLines deviceId={deviceId} metrics={metrics} lines={lines} span={span} />}
          {index === 0 && (
            <Button size="xs" variant="default" onClick={() => setPaused(!paused)}>
              {paused ? "Continue" : "Pause"}
            </Button>
          )}
          <RemoveMetric metric={metric} onRemove={onRemove} />
        </>
      }
    >
      <LiveChart
        deviceId={deviceId}
        metric={metric}
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

/** What is drawn of each metric; while it is paused it stays. */
function useLines(deviceId: string, metrics: readonly string[], paused: boolean) {
  const queries = metrics.map((metric) => ({ ...recentSeriesQuery(deviceId, metric, LIVE.ms), ...FOLLOWED }));
  // One array as long as the results are the same.
  const stored = useQueries({ queries, combine: (results) => results.map(({ data }) => data) });
  const { points, state } = useTelemetry(deviceId, metrics);
  const lines = useMemo(
    () => metrics.map((metric, index) => liveLine(stored[index]?.points ?? [], points.get(metric) ?? [])),
    [metrics, stored, points],
  );
  const shown = useRef({ metrics, lines });
  if (!paused || shown.current.metrics !== metrics) shown.current = { metrics, lines };
  return { lines: shown.current.lines satisfies LiveLine[], state, isRead: stored.every((each) => each !== undefined) };
}
