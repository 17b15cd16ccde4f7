import { useQuery } from "@tanstack/react-query";
import { type Finding, findingsQuery } from "../../api/devices.ts";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ASKED_FINDINGS, FINDINGS } from "../../words/findings.ts";

const COLUMNS: readonly Column<Finding>[] = [
  { key: "device", title: "Device", main: true, cell: ({ deviceName, deviceId }) => deviceName || deviceId },
  { key: "kind", title: "Finding", cell: ({ kind }) => FINDINGS[kind] },
  { key: "at", title: "Since", cell: ({ at }) => <Ago at={at} /> },
  { key: "cure", title: "What to do", cell: ({ cure }) => cure },
];

/** What is wrong with devices that work: renewals overdue, bundles that end, devices that publish nowhere. */
export default function FindingsPage() {
  const { values, skip, onFilter, onSkip } = useListState();
  const { data, error, refetch } = useQuery(findingsQuery(values.kind, skip));
  return (
    <Page title="Findings" lead="What is wrong with devices that work, and what to do. A finding ends with its cause.">
      <Filters
        filters={[{ kind: "choice", name: "kind", label: "Finding", options: Object.entries(ASKED_FINDINGS) }]}
        values={values}
        onChange={onFilter}
      />
      {error && !data ? (
        <ProblemBox error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Findings"
          columns={COLUMNS}
          rows={data?.items}
          rowKey={({ kind, deviceId, certificateId }) => `${kind} ${deviceId} ${certificateId}`}
          href={({ deviceId }) => `/devices/${encodeURIComponent(deviceId)}`}
          empty={<Empty title={values.kind ? "No device has this finding" : "No device has a finding"} />}
        />
      )}
      <Pager page={data} of="finding" onSkip={onSkip} />
    </Page>
  );
}
