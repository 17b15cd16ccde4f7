import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { t } from "#texts/pages/device.ts";
import { latestQuery } from "../../../api/devices.ts";
import { seriesQuery } from "../../../api/live/series.ts";
import { useDeviceWatch } from "../../../parts/chart/device-watch.ts";
import { metricsParameter } from "../../../parts/chart/metric-names.ts";
import { RangeBar } from "../../../parts/chart/range-bar.tsx";
import { SeriesChart } from "../../../parts/chart/series-chart.tsx";
import { LIVE, PRESETS } from "../../../parts/chart/time-range.ts";
import { useTimeRange } from "../../../parts/chart/use-time-range.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { metricTitle } from "../../../parts/metrics/metric-text.ts";
import { useMetricSettings } from "../../../parts/metrics/use-metric-settings.ts";
import { RejectedNotice, useRejectedToday } from "../../../parts/rejected-notice.tsx";
import { Empty, Section } from "../../../ui/ui.ts";
import type { TabProps } from "../tab-props.ts";
import { LiveCharts } from "./live-charts.tsx";
import { Readings } from "./readings.tsx";
import { SaveSeries } from "./save-csv.tsx";
import { AddMetric, type ChartsProps, RemoveMetric, useShownMetrics } from "./shown-metrics.tsx";

/** Metrics over time, in the same range: live, or as they are stored. */
export function TelemetryTab({ device }: TabProps) {
  const latest = useQuery(latestQuery(device.id));
  const isRefused = useRejectedToday(device.id).length > 0;
  return (
    <div className="stack-loose">
      <RejectedNotice deviceId={device.id} />
      <Loaded query={latest}>
        {({ items }) => {
          const metrics = items.filter(({ value }) => typeof value === "number").map(({ metric }) => metric);
          if (metrics.length > 0) return <Telemetry deviceId={device.id} metrics={metrics} />;
          return (
            <Empty
              title={isRefused ? t.noMessageIsStored : t.theDeviceHasPublishedNo}
              action={<a href={`/devices/${device.id}/connect`}>{t.howItConnects}</a>}
            />
          );
        }}
      </Loaded>
    </div>
  );
}

function Telemetry({ deviceId, metrics }: { deviceId: string; metrics: readonly string[] }) {
  const range = useTimeRange(PRESETS);
  const [shown, show] = useShownMetrics(metrics);
  const settings = useMetricSettings(deviceId);
  const remove = (metric: string) => show(shown.filter((each) => each !== metric));
  const charts = { deviceId, metrics: shown, range, onRemove: shown.length > 1 ? remove : undefined };
  const rangeName = range.preset?.name ?? `${range.span.from} ${range.span.to}`;
  return (
    <div className="stack-loose">
      <Section
        title={t.telemetry}
        actions={<AddMetric settings={settings} metrics={metrics} shown={shown} onAdd={show} />}
      >
        <RangeBar range={range} presets={PRESETS} />
      </Section>
      {range.preset === LIVE ? <LiveCharts {...charts} /> : <RangeCharts {...charts} />}
      <Readings key={`${rangeName} ${metricsParameter(shown)}`} deviceId={deviceId} metrics={shown} range={range} />
    </div>
  );
}

function RangeCharts({ deviceId, metrics, range, onRemove }: ChartsProps) {
  const { span, preset } = range;
  const series = useQueries({
    queries: metrics.map((metric) => ({ ...seriesQuery(deviceId, metric, span), placeholderData: keepPreviousData })),
  });
  const settings = useMetricSettings(deviceId);
  const watchedOf = useDeviceWatch(deviceId, span.from, preset ? undefined : span.to);
  return metrics.map((metric, index) => (
    <Section
      key={metric}
      title={metricTitle(metric, settings)}
      actions={
        <>
          {index === 0 && <SaveSeries deviceId={deviceId} metrics={metrics} series={series.map(({ data }) => data)} />}
          <RemoveMetric metric={metric} onRemove={onRemove} />
        </>
      }
    >
      <SeriesChart
        deviceId={deviceId}
        label={t.overTime(metricTitle(metric, settings))}
        query={series[index]!}
        watched={watchedOf(metric)}
        onZoom={range.show}
      />
    </Section>
  ));
}
