import { useMemo } from "react";
import type { TelemetrySnapshot } from "../../../api/live/telemetry-store.ts";
import { bandsOf, marksOf, type Watched } from "../../../parts/chart/device-watch.ts";
import { Legend } from "../../../parts/chart/legend.tsx";
import { Chart } from "../../../ui/chart/chart.tsx";
import type { Span } from "../../../ui/chart/gaps.ts";
import { isNear } from "../../../ui/chart/limits.ts";
import { reading } from "../../../ui/display/format.ts";
import { Status } from "../../../ui/display/status.tsx";
import { Ago } from "../../../ui/display/time.tsx";
import type { LiveLine } from "./live-lines.ts";

interface LiveChartProps {
  deviceId: string;
  metric: string;
  drawn: LiveLine;
  /** What was stored before has been read. */
  isRead: boolean;
  span: Span;
  watched: Watched;
  state: TelemetrySnapshot["state"] | "paused";
  onZoom: (span: Span) => void;
}

/** One metric of the last ten minutes. */
export function LiveChart({ deviceId, metric, drawn, isRead, span, watched, state, onZoom }: LiveChartProps) {
  const { line, last } = drawn;
  const { limits, anomalies } = watched;
  const near = useMemo(() => nearLimits(watched, line.values), [watched, line]);
  const recent = anomalies.filter(({ openedAt }) => Date.parse(openedAt) >= span.from);
  return (
    <div className="stack">
      <Chart
        label={`${metric}, last ten minutes`}
        times={line.times}
        series={[{ label: metric, values: line.values }]}
        range={span}
        limits={near}
        bands={bandsOf(anomalies, span.to)}
        marks={marksOf(recent, deviceId)}
        height={300}
        onZoom={onZoom}
      />
      <Legend limits={limits} near={near} gaps={0} anomalies={anomalies.length} />
      <p className="row">
        <Status tone={state === "paused" ? "neutral" : state === "live" ? "good" : "warn"}>
          {state === "paused" ? "Paused" : state === "live" ? "Live" : "Waiting for the service"}
        </Status>
        {last && (
          <span>
            Latest: <strong>{reading(last.value)}</strong>, <Ago at={new Date(last.at).toISOString()} />
          </span>
        )}
        {isRead && !last && <span>No reading in the last ten minutes</span>}
      </p>
    </div>
  );
}

function nearLimits({ limits }: Watched, values: readonly (number | null)[]): Watched["limits"] {
  const numbers = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return limits.filter(({ value }) => isNear(value, least, most));
}
