import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/telemetry/compare.ts";
import type { SeriesOfRange } from "../../api/live/series.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Chart } from "../../ui/chart/chart.tsx";
import { chartLines } from "../../ui/chart/chart-lines.ts";
import type { Span } from "../../ui/chart/gaps.ts";
import { Section } from "../../ui/ui.ts";
import { align } from "./align.ts";

interface ComparedSeries {
  id: string;
  name: string;
  query: UseQueryResult<SeriesOfRange>;
}

interface ChartsProps {
  metric: string;
  compared: readonly ComparedSeries[];
  isTogether: boolean;
  onZoom: (span: Span) => void;
}

export function Charts({ metric, compared, isTogether, onZoom }: ChartsProps) {
  if (isTogether) return <OneChart {...{ metric, compared, onZoom }} />;
  return (
    <div className="compare-charts">
      {compared.map(({ id, name, query }) => (
        <Section key={id} title={name} actions={<a href={`/devices/${id}?tab=telemetry`}>{common.device}</a>}>
          <Loaded query={query}>
            {(read) => <SmallChart label={t.metricOf(metric, name)} read={read} onZoom={onZoom} />}
          </Loaded>
        </Section>
      ))}
    </div>
  );
}

function SmallChart({ label, read, onZoom }: { label: string; read: SeriesOfRange; onZoom: (span: Span) => void }) {
  const lines = useMemo(() => linesOf(read), [read]);
  if (read.points.length === 0) return <p className="soft">{t.nothingMeasured}</p>;
  return <Chart label={label} {...lines} range={read.range} height={160} onZoom={onZoom} />;
}

function OneChart({ metric, compared, onZoom }: Omit<ChartsProps, "isTogether">) {
  const read = compared.flatMap(({ name, query: { data } }) => (data ? [{ label: name, read: data }] : []));
  const silent = read.filter(({ read }) => read.points.length === 0).map(({ label }) => label);
  const [first] = read;
  const drawn = align(read.map(({ label, read }) => ({ label, lines: linesOf(read) })));
  return (
    <div className="stack">
      {first && (
        <Chart label={t.metricOfAll(metric)} {...drawn} range={first.read.range} height={380} onZoom={onZoom} />
      )}
      {silent.length > 0 && <p role="status">{t.nothingMeasuredBy(silent.join(", "))}</p>}
      {compared.some(({ query }) => query.isError) && <p role="alert">{t.someNotRead}</p>}
    </div>
  );
}

function linesOf({ points, bucketSeconds, range, readAt }: SeriesOfRange) {
  return chartLines({ points, bucketSeconds, range, now: readAt });
}
