import { useQuery } from "@tanstack/react-query";
import { ticketsQuery } from "../../api/monitoring/tickets.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { Table } from "../../ui/display/table.tsx";
import { Section } from "../../ui/page/page.tsx";
import { ticketColumns } from "../tickets/columns.tsx";
import type { TabProps } from "./tab-props.ts";

const SHOWN = 20;
const COLUMNS = ticketColumns({ ofDevice: true });

/** The newest tickets about the device. */
export function TicketsTab({ device }: TabProps) {
  const query = useQuery(ticketsQuery({ deviceId: device.id, skip: 0, limit: SHOWN }));
  return (
    <Section
      title="Tickets"
      actions={<a href={`/tickets?deviceId=${encodeURIComponent(device.id)}`}>All, with filters</a>}
    >
      <Loaded query={query}>
        {({ items }) => (
          <Table
            label="Tickets about the device"
            columns={COLUMNS}
            rows={items}
            rowKey={({ id }) => id}
            href={({ id }) => `/tickets/${id}`}
            empty={<Empty title="There is no ticket about the device" />}
          />
        )}
      </Loaded>
    </Section>
  );
}
