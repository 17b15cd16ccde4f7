import type { DryRun } from "../../../api/monitoring/thresholds.ts";
import { Word } from "../../../parts/word.tsx";
import { plural, reading } from "../../../ui/display/format.ts";
import { Notice } from "../../../ui/display/status.tsx";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { SEVERITIES } from "../../../words/monitoring.ts";
import { DryRunChart } from "./dry-run-chart.tsx";
import type { Tried } from "./try-rules.tsx";

type WouldBe = DryRun["anomalies"][number];

const COLUMNS: readonly Column<WouldBe>[] = [
  { key: "message", title: "Anomaly", main: true, cell: ({ message }) => message },
  { key: "severity", title: "Severity", cell: ({ severity }) => <Word of={SEVERITIES} value={severity} /> },
  { key: "opened", title: "Would have opened", cell: ({ openedAt }) => <Time at={openedAt} /> },
  {
    key: "resolved",
    title: "Resolved",
    cell: ({ resolvedAt }) => (resolvedAt ? <Time at={resolvedAt} /> : "not in this time"),
  },
  { key: "value", title: "Last value", numeric: true, cell: ({ value }) => reading(value) },
];

/** How many anomalies there would have been, when, and on the chart of the device. */
export function DryRunResult({ tried }: { tried: Tried }) {
  const { anomalies, readings, cut } = tried.run;
  const metrics = [...new Set(tried.rules.map(({ metric }) => metric))];
  const found = anomalies.length === 0 ? "no anomaly" : plural(anomalies.length, "anomaly", "anomalies");
  return (
    <div className="stack-loose">
      <Notice tone={anomalies.length === 0 ? "good" : "accent"} title={`Would have opened ${found}`} live>
        <p>
          {tried.deviceId}, {tried.period}: {plural(readings, "reading")} of {metrics.join(", ")}.
        </p>
        {readings === 0 && <p>The device has stored no reading of these metrics in this time.</p>}
        {cut && <p>The run was stopped at a limit: there may be more. Try a shorter time.</p>}
      </Notice>
      {metrics.map((metric) => (
        <DryRunChart key={metric} metric={metric} tried={tried} />
      ))}
      {anomalies.length > 0 && (
        <Table
          label="Anomalies that would have opened"
          columns={COLUMNS}
          rows={anomalies}
          rowKey={({ rule, openedAt }) => `${rule} ${openedAt}`}
        />
      )}
    </div>
  );
}
