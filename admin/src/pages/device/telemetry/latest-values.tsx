import { useQuery } from "@tanstack/react-query";
import { latestQuery } from "../../../api/devices.ts";
import type { LatestValue } from "../../../api/live/telemetry-store.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../ui/display/empty.tsx";
import { reading } from "../../../ui/display/format.ts";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { Ago } from "../../../ui/display/time.tsx";
import type { TabProps } from "../tab-props.ts";
import { ClockReplaced } from "./clock-replaced.tsx";
import { useTelemetry } from "./use-telemetry.ts";

const COLUMNS: readonly Column<LatestValue>[] = [
  { key: "metric", title: "Metric", main: true, cell: ({ metric }) => metric },
  { key: "value", title: "Value", numeric: true, cell: ({ value }) => reading(value) },
  { key: "at", title: "Measured", cell: ({ at }) => <Ago at={at} /> },
  {
    key: "clock",
    title: "Clock",
    cell: ({ timeReplaced }) => <ClockReplaced replaced={timeReplaced} />,
  },
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
