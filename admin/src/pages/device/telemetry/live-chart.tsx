import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { seriesQuery } from "../../../api/live/series.ts";
import { Chart } from "../../../ui/chart/chart.tsx";
import { type Point, withGaps } from "../../../ui/chart/gaps.ts";
import { reading } from "../../../ui/display/format.ts";
import { Status } from "../../../ui/display/status.tsx";
import { Ago, useNow } from "../../../ui/display/time.tsx";
import { LIVE_MS } from "./ranges.ts";
import { useTelemetry } from "./use-telemetry.ts";

const GAP_MS = 30_000;

interface LiveChartProps {
  deviceId: string;
  metric: string;
  paused: boolean;
}

/** The last ten minutes of a metric, growing as the device publishes. */
export function LiveChart({ deviceId, metric, paused }: LiveChartProps) {
  const stored = useQuery({ ...seriesQuery(deviceId, metric, LIVE_MS), staleTime: Number.POSITIVE_INFINITY }).data;
  const { points: arrived, state } = useTelemetry(deviceId, metric);
  const shown = useRef<Drawn>(NOTHING);
  const drawn = useMemo(() => draw(stored?.series.points ?? [], arrived), [stored, arrived]);
  if (!paused) shown.current = drawn;
  const { line, last } = shown.current;
  const now = useNow();
  const until = useRef(now);
  // A device whose clock is ahead draws beyond the present.
  if (!paused) until.current = Math.max(now, last?.at ?? 0);
  const to = until.current;
  return (
    <div className="stack">
      <Chart
        label={`${metric}, last ten minutes`}
        times={line.times}
        series={[{ label: metric, values: line.values }]}
        range={{ from: to - LIVE_MS, to }}
        height={300}
      />
      <p className="row">
        <Status tone={paused ? "neutral" : state === "live" ? "good" : "warn"}>
          {paused ? "Paused" : state === "live" ? "Live" : "Waiting for the service"}
        </Status>
        {last && (
          <span>
            Latest: <strong>{reading(last.value)}</strong>, <Ago at={new Date(last.at).toISOString()} />
          </span>
        )}
        {stored && !last && <span>No reading in the last ten minutes</span>}
      </p>
    </div>
  );
}

interface Drawn {
  line: ReturnType<typeof withGaps>;
  last: Point | undefined;
}

const NOTHING: Drawn = { line: { times: [], values: [] }, last: undefined };

/** What was stored when the stream began, then what has arrived since. */
function draw(stored: readonly { at: string; avg: number }[], arrived: readonly Point[]): Drawn {
  const before = stored.map(({ at, avg }) => ({ at: Date.parse(at), value: avg }));
  const newest = before.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  const all = [...before, ...arrived.filter(({ at }) => at > newest)];
  const last = all.at(-1);
  const since = (last?.at ?? 0) - LIVE_MS;
  return {
    line: withGaps(
      all.filter(({ at }) => at >= since),
      GAP_MS,
    ),
    last,
  };
}
