import { useQuery } from "@tanstack/react-query";
import { refusalsOfDeviceQuery } from "../../api/broker/refusals.ts";
import type { Schemas } from "../../api/client.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { Section } from "../../ui/page/page.tsx";
import type { TabProps } from "./tab-props.ts";

type Refusal = Schemas["Refusal"];

const COLUMNS: readonly Column<Refusal>[] = [
  { key: "cause", title: "Why", main: true, cell: ({ cause }) => cause },
  { key: "cure", title: "What to do", cell: ({ cure }) => cure },
  { key: "times", title: "Times", numeric: true, cell: ({ occurrences }) => occurrences.toLocaleString() },
  { key: "last", title: "Last", cell: ({ lastAt }) => <Ago at={lastAt} /> },
  {
    key: "address",
    title: "From",
    cell: ({ remoteAddress }) => <span className="mono nowrap">{remoteAddress ?? "–"}</span>,
  },
];

/** When the broker refused the device, why, and what to do about it. */
export function RefusalsTab({ device }: TabProps) {
  return (
    <Section title="Refused connections and messages" lead="Of the last 30 days, newest first.">
      <Loaded query={useQuery(refusalsOfDeviceQuery(device.id))}>
        {({ items }) => (
          <Table
            label="Refusals"
            columns={COLUMNS}
            rows={items}
            rowKey={({ id }) => id}
            empty={<Empty title="The broker has refused nothing of this device" />}
          />
        )}
      </Loaded>
    </Section>
  );
}
