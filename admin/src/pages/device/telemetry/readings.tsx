import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Reading, readingsQuery } from "../../../api/live/series.ts";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import { Empty } from "../../../ui/display/empty.tsx";
import { reading } from "../../../ui/display/format.ts";
import { ShowEarlier } from "../../../ui/display/show-earlier.tsx";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { Section } from "../../../ui/page/page.tsx";
import { ClockReplaced } from "./clock-replaced.tsx";

interface ReadingsProps {
  deviceId: string;
  metric: string;
  /** How far back. */
  ms: number;
}

const COLUMNS: readonly Column<Reading>[] = [
  { key: "at", title: "Measured", main: true, cell: ({ at }) => <Time at={at} /> },
  { key: "value", title: "Value", numeric: true, cell: ({ value }) => reading(value) },
  { key: "received", title: "Received", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { key: "clock", title: "Clock", cell: ({ timeReplaced }) => <ClockReplaced replaced={timeReplaced} /> },
];

/** The single readings that a chart sums up, when they are asked for. */
export function Readings(props: ReadingsProps) {
  const [shown, setShown] = useState(false);
  return (
    <Section
      title="Readings"
      lead="Every value in the range of the chart, newest first."
      actions={
        <Button variant="default" onClick={() => setShown(!shown)}>
          {shown ? "Hide" : "Show"}
        </Button>
      }
    >
      {shown && <Rows {...props} />}
    </Section>
  );
}

function Rows({ deviceId, metric, ms }: ReadingsProps) {
  const [to] = useState(() => Date.now());
  const query = useInfiniteQuery(readingsQuery(deviceId, metric, { from: to - ms, to }));
  const { data, error, refetch } = query;
  if (error && !data) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  const rows = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <Table
        label={`Readings of ${metric}`}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ at }) => at}
        empty={<Empty title="Nothing was measured in this time" />}
      />
      <ShowEarlier query={query} />
    </>
  );
}
