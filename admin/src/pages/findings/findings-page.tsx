import { useQuery } from "@tanstack/react-query";
import { type Finding, findingsQuery } from "../../api/devices.ts";
import { Records } from "../../parts/list/records.tsx";
import { useListState } from "../../parts/url-state.ts";
import { Ago, type Column, Empty, type Filter, Page } from "../../ui/ui.ts";
import { ASKED_FINDINGS, FINDINGS } from "../../words/findings.ts";

const FILTERS: readonly Filter[] = [
  { kind: "choice", name: "kind", label: "Finding", options: Object.entries(ASKED_FINDINGS) },
];
const COLUMNS: readonly Column<Finding>[] = [
  { title: "Device", main: true, cell: ({ deviceName, deviceId }) => deviceName || deviceId },
  { title: "Finding", cell: ({ kind }) => FINDINGS[kind] },
  { title: "Since", cell: ({ at }) => <Ago at={at} /> },
  { title: "What to do", cell: ({ cure }) => cure },
];

/** The faults of working devices: overdue renewals, bundles that end soon, devices that publish nowhere. */
export default function FindingsPage() {
  const list = useListState();
  return (
    <Page title="Findings" lead="What is wrong with devices that work, and what to do. A finding ends with its cause.">
      <Records
        label="Findings"
        of="finding"
        list={list}
        filters={FILTERS}
        query={useQuery(findingsQuery(list.values.kind, list.skip))}
        columns={COLUMNS}
        rowKey={({ kind, deviceId, certificateId }) => `${kind} ${deviceId} ${certificateId}`}
        href={({ deviceId }) => `/devices/${encodeURIComponent(deviceId)}`}
        empty={<Empty title="No device has a finding" />}
      />
    </Page>
  );
}
