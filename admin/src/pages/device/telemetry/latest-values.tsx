import { useQuery } from "@tanstack/react-query";
import { latestQuery } from "../../../api/devices.ts";
import type { LatestValue } from "../../../api/live/telemetry-store.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { Ago, type Column, Empty, reading, Table } from "../../../ui/ui.ts";
import type { TabProps } from "../tab-props.ts";
import { ClockReplaced } from "./readings.tsx";
import { useTelemetry } from "./use-telemetry.ts";

const COLUMNS: readonly Column<LatestValue>[] = [
  { title: "Metric", main: true, cell: ({ metric }) => metric },
  { title: "Value", numeric: true, cell: ({ value }) => reading(value) },
  { title: "Measured", cell: ({ at }) => <Ago at={at} /> },
  { title: "Clock", cell: ({ timeReplaced }) => <ClockReplaced replaced={timeReplaced} /> },
];

/** The newest value of every metric, as it arrives. */
export function LatestValues({ device }: Pick<TabProps, "device">) {
  const { latest } = useTelemetry(device.id);
  return (
    <Loaded query={useQuery(latestQuery(device.id))}>
      {(stored) => {
        const values = new Map(stored.items.map((value) => [value.metric, value as LatestValue]));
        for (const [metric, value] of latest) values.set(metric, value);
        const rows = [...values.values()].sort((one, other) => one.metric.localeCompare(other.metric));
        return (
          <Table
            label="Latest values"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ metric }) => metric}
            empty={
              <Empty
                title="The device has published nothing yet"
                action={<a href={`/devices/${device.id}/connect`}>How it connects</a>}
              />
            }
          />
        );
      }}
    </Loaded>
  );
}
