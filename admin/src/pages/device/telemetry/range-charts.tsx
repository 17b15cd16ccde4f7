import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { seriesQuery } from "../../../api/live/series.ts";
import { useDeviceWatch } from "../../../parts/chart/device-watch.ts";
import { SeriesChart } from "../../../parts/chart/series-chart.tsx";
import { Section } from "../../../ui/page/page.tsx";
import { SaveSeries } from "./save-csv.tsx";
import { type ChartsProps, RemoveMetric } from "./shown-metrics.tsx";

/** Each metric over the same range. */
export function RangeCharts({ deviceId, metrics, range, onRemove }: ChartsProps) {
  const { span, preset } = range;
  const series = useQueries({
    queries: metrics.map((metric) => ({ ...seriesQuery(deviceId, metric, span), placeholderData: keepPreviousData })),
  });
  const watchedOf = useDeviceWatch(deviceId, span.from, preset ? undefined : span.to);
  return metrics.map((metric, index) => (
    <Section
      key={metric}
      title={metric}
      actions={
        <>
          {index === 0 && <SaveSeries deviceId={deviceId} metrics={metrics} series={series.map(({ data }) => data)} />}
          <RemoveMetric metric={metric} onRemove={onRemove} />
        </>
      }
    >
      <SeriesChart
        deviceId={deviceId}
        label={`${metric} over time`}
        query={series[index]!}
        watched={watchedOf(metric)}
        onZoom={range.show}
      />
    </Section>
  ));
}
