import type { DryRun } from "../../../api/monitoring/thresholds.ts";
import { Word } from "../../../parts/word.tsx";
import { plural, reading } from "../../../ui/display/format.ts";
import { Notice } from "../../../ui/display/status.tsx";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { SEVERITIES } from "../../../words/monitoring.ts";
import { DryRunChart } from "./dry-run-chart.tsx";
import type { Tried } from "./tried.ts";

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

const DEVICE: Column<WouldBe> = {
  key: "device",
  title: "Device",
  cell: ({ deviceId }) => <a href={`/devices/${encodeURIComponent(deviceId)}`}>{deviceId}</a>,
};

/** How many anomalies there would have been, when, and, of one device, on its chart. */
export function DryRunResult({ tried }: { tried: Tried }) {
  const { anomalies, readings, devices, cut } = tried.run;
  const deviceId = "deviceId" in tried.on ? tried.on.deviceId : undefined;
  const on = "deviceId" in tried.on ? tried.on.deviceId : `${plural(devices, "device")} of ${tried.on.name}`;
  const metrics = [...new Set(tried.rules.map(({ metric }) => metric))];
  const found = anomalies.length === 0 ? "no anomaly" : plural(anomalies.length, "anomaly", "anomalies");
  return (
    <div className="stack-loose">
      <Notice tone={anomalies.length === 0 ? "good" : "accent"} title={`Would have opened ${found}`} live>
        <p>
          {on}, {tried.period}: {plural(readings, "reading")} of {metrics.join(", ")}.
        </p>
        {readings === 0 && <p>No reading of these metrics is stored of this time.</p>}
        {cut && (
          <p>
            The run was stopped at a limit: there may be more. Try a shorter time{deviceId ? "" : ", or one device"}.
          </p>
        )}
      </Notice>
      {deviceId &&
        metrics.map((metric) => <DryRunChart key={metric} metric={metric} tried={tried} deviceId={deviceId} />)}
      {anomalies.length > 0 && (
        <Table
          label="Anomalies that would have opened"
          columns={deviceId ? COLUMNS : [...COLUMNS, DEVICE]}
          rows={anomalies}
          rowKey={({ rule, openedAt, deviceId: of }) => `${of} ${rule} ${openedAt}`}
        />
      )}
    </div>
  );
}
