import { useQuery } from "@tanstack/react-query";
import { anomaliesQuery } from "../../api/monitoring/anomalies.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { Table } from "../../ui/display/table.tsx";
import { Section } from "../../ui/page/page.tsx";
import { anomalyColumns } from "../anomalies/columns.tsx";
import type { TabProps } from "./tab-props.ts";

const SHOWN = 20;
const COLUMNS = anomalyColumns({ ofDevice: true });

/** The newest anomalies of the device. */
export function AnomaliesTab({ device }: TabProps) {
  const query = useQuery(anomaliesQuery({ deviceId: device.id, skip: 0, limit: SHOWN }));
  return (
    <Section
      title="Anomalies"
      actions={<a href={`/anomalies?deviceId=${encodeURIComponent(device.id)}`}>All, with filters</a>}
    >
      <Loaded query={query}>
        {({ items }) => (
          <Table
            label="Anomalies of the device"
            columns={COLUMNS}
            rows={items}
            rowKey={({ id }) => id}
            href={({ id }) => `/anomalies/${id}`}
            empty={<Empty title="The device has had no anomaly">{WATCHED}</Empty>}
          />
        )}
      </Loaded>
    </Section>
  );
}

const WATCHED = "It is watched by its threshold packs and those of its type.";
