import { NativeSelect } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "#texts/pages/device.ts";
import { type Reading, readingsQuery } from "../../../api/live/series.ts";
import type { TimeRange } from "../../../parts/chart/use-time-range.ts";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import type { Span } from "../../../ui/chart/gaps.ts";
import { Action, type Column, Empty, reading, Section, ShowEarlier, Status, Table, Time } from "../../../ui/ui.ts";

interface ReadingsProps {
  deviceId: string;
  metrics: readonly string[];
  range: Pick<TimeRange, "span" | "preset">;
}

const COLUMNS: readonly Column<Reading>[] = [
  { title: t.measured, main: true, cell: ({ at }) => <Time at={at} /> },
  { title: t.value, numeric: true, cell: ({ value }) => reading(value) },
  { title: t.received, cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { title: t.clock, cell: ({ timeReplaced }) => <ClockReplaced replaced={timeReplaced} /> },
];

/** The single readings behind a chart, on request. */
export function Readings({ deviceId, metrics, range }: ReadingsProps) {
  const [shown, setShown] = useState<Span>();
  const [chosen, setChosen] = useState(metrics[0]!);
  return (
    <Section
      title={t.readings}
      lead={t.everyValueInTheRange}
      actions={
        <>
          {shown && metrics.length > 1 && (
            <NativeSelect
              aria-label={t.metricOfTheReadings}
              value={chosen}
              data={[...metrics]}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
          )}
          <Action label={shown ? t.hide : t.show} onClick={() => setShown(shown ? undefined : spanNow(range))} />
        </>
      }
    >
      {shown && <Rows key={chosen} deviceId={deviceId} metric={chosen} span={shown} />}
    </Section>
  );
}

/** Returns the present range; a preset ends now. */
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
        label={t.readingsOf(metric)}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ at }) => at}
        empty={<Empty title={t.nothingWasMeasuredInThis} />}
      />
      <ShowEarlier query={query} />
    </>
  );
}

/** Shows whether the service replaced the time of a message. */
export function ClockReplaced({ replaced }: { replaced: boolean }) {
  if (!replaced) return <span className="soft">–</span>;
  return <Status of={["warn", t.replacedByTheService]} plain />;
}
