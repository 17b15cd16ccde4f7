import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/anomalies.ts";
import { type Finding, findingsQuery } from "../../api/devices.ts";
import { Glossary } from "../../parts/guides/glossary.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useListState } from "../../parts/url-state.ts";
import { Ago, type Column, Empty, type Filter, Page } from "../../ui/ui.ts";
import { explainedFinding } from "../../words/explained-findings.ts";
import { ASKED_FINDINGS, FINDINGS } from "../../words/findings.ts";

const FILTERS: readonly Filter[] = [
  { kind: "choice", name: "kind", label: t.finding, options: Object.entries(ASKED_FINDINGS) },
];
const COLUMNS: readonly Column<Finding>[] = [
  { title: common.device, main: true, cell: ({ deviceName, deviceId }) => deviceName || deviceId },
  { title: t.finding, cell: ({ kind }) => FINDINGS[kind] },
  { title: common.since, cell: ({ at }) => <Ago at={at} /> },
  { title: common.whatToDo, cell: (finding) => explainedFinding(finding).cure },
];

/** The faults of working devices: overdue renewals, bundles that end soon, devices that publish nowhere. */
export default function FindingsPage() {
  const list = useListState();
  return (
    <Page title={t.findings} lead={t.whatIsWrongWithDevices}>
      <Glossary />
      <Records
        label={t.findings}
        of={nouns.finding}
        list={list}
        filters={FILTERS}
        query={useQuery(findingsQuery(list.values.kind, list.skip))}
        columns={COLUMNS}
        rowKey={({ kind, deviceId, certificateId }) => `${kind} ${deviceId} ${certificateId}`}
        href={({ deviceId }) => `/devices/${encodeURIComponent(deviceId)}`}
        empty={<Empty title={t.noDeviceHasAFinding} />}
      />
    </Page>
  );
}
