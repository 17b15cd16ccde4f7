import { Button, NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Reading, readingsQuery } from "../../../api/live/series.ts";
import type { TimeRange } from "../../../parts/chart/use-time-range.ts";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import type { Span } from "../../../ui/chart/gaps.ts";
import { Empty } from "../../../ui/display/empty.tsx";
import { reading } from "../../../ui/display/format.ts";
import { ShowEarlier } from "../../../ui/display/show-earlier.tsx";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { Section } from "../../../ui/page/page.tsx";
import { ClockReplaced } from "./clock-replaced.tsx";

interface ReadingsProps {
  deviceId: string;
  metrics: readonly string[];
  range: Pick<TimeRange, "span" | "preset">;
}

const COLUMNS: readonly Column<Reading>[] = [
  { key: "at", title: "Measured", main: true, cell: ({ at }) => <Time at={at} /> },
  { key: "value", title: "Value", numeric: true, cell: ({ value }) => reading(value) },
  { key: "received", title: "Received", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { key: "clock", title: "Clock", cell: ({ timeReplaced }) => <ClockReplaced replaced={timeReplaced} /> },
];

/** The single readings that a chart sums up, when they are asked for. */
export function Readings({ deviceId, metrics, range }: ReadingsProps) {
  const [shown, setShown] = useState<Span>();
  const [chosen, setChosen] = useState(metrics[0]!);
  return (
    <Section
      title="Readings"
      lead="Every value in the range of the chart, newest first."
      actions={
        <>
          {shown && metrics.length > 1 && (
            <NativeSelect
              aria-label="Metric of the readings"
              value={chosen}
              data={[...metrics]}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
          )}
          <Button variant="default" onClick={() => setShown(shown ? undefined : spanNow(range))}>
            {shown ? "Hide" : "Show"}
          </Button>
        </>
      }
    >
      {shown && <Rows key={chosen} deviceId={deviceId} metric={chosen} span={shown} />}
    </Section>
  );
}

/** Of a range that ends now, what it is when the readings are asked for. */
function spanNow({ span, preset }: ReadingsProps["range"]): Span {
  const now = Date.now();
  return preset ? { from: now - preset.ms, to: now } : span;
}

function Rows({ deviceId, metric, span }: { deviceId: string; metric: string; span: Span }) {
  const query = useInfiniteQuery(readingsQuery(deviceId, metric, span));
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
