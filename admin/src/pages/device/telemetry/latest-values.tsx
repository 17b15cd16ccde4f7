import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/device.ts";
import { latestQuery } from "../../../api/devices.ts";
import type { LatestValue } from "../../../api/live/telemetry-store.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { MetricName } from "../../../parts/metrics/metric-name.tsx";
import { type MetricSettings, metricValue } from "../../../parts/metrics/metric-text.ts";
import { useMetricSettings } from "../../../parts/metrics/use-metric-settings.ts";
import { useRejectedToday } from "../../../parts/rejected-notice.tsx";
import { Ago, type Column, Empty, Table } from "../../../ui/ui.ts";
import type { TabProps } from "../tab-props.ts";
import { ClockReplaced } from "./readings.tsx";
import { useTelemetry } from "./use-telemetry.ts";

const columnsOf = (settings: MetricSettings): readonly Column<LatestValue>[] => [
  { title: common.metric, main: true, cell: ({ metric }) => <MetricName metric={metric} settings={settings} /> },
  { title: t.value, numeric: true, cell: ({ metric, value }) => metricValue(metric, value, settings) },
  { title: t.measured, cell: ({ at }) => <Ago at={at} /> },
  { title: t.clock, cell: ({ timeReplaced }) => <ClockReplaced replaced={timeReplaced} /> },
];

/** The newest value of every metric, as it arrives. */
export function LatestValues({ device }: Pick<TabProps, "device">) {
  const { latest } = useTelemetry(device.id);
  const settings = useMetricSettings(device.id);
  const isRefused = useRejectedToday(device.id).length > 0;
  return (
    <Loaded query={useQuery(latestQuery(device.id))}>
      {(stored) => {
        const values = new Map(stored.items.map((value) => [value.metric, value as LatestValue]));
        for (const [metric, value] of latest) values.set(metric, value);
        const rows = [...values.values()].sort((one, other) => one.metric.localeCompare(other.metric));
        return (
          <Table
            label={t.latestValues}
            columns={columnsOf(settings)}
            rows={rows}
            rowKey={({ metric }) => metric}
            empty={
              <Empty
                title={isRefused ? t.noMessageIsStored : t.theDeviceHasPublishedNothing}
                action={<a href={`/devices/${device.id}/connect`}>{t.howItConnects}</a>}
              />
            }
          />
        );
      }}
    </Loaded>
  );
}
