import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, lazy, Suspense, useEffect } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/device.ts";
import { t as fleet } from "#texts/pages/fleet.ts";
import { deviceQuery } from "../../api/devices.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useRefusedToday } from "../../parts/rejected-notice.tsx";
import { useSession } from "../../parts/session.ts";
import { loadScreen } from "../../parts/shell/load-code.ts";
import { useUrlState } from "../../parts/url-state.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Word } from "../../parts/word.tsx";
import { numberText } from "../../texts/number-text.ts";
import { Page, Tabs } from "../../ui/ui.ts";
import { CERTIFICATE_STATES, CONNECTIVITY } from "../../words/devices.ts";
import { DeviceActions } from "./actions.tsx";
import { CertificatesTab } from "./certificates-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import type { TabProps } from "./tab-props.ts";
import { TelemetryTab } from "./telemetry/telemetry-tab.tsx";

/** These tabs are loaded after the screen, before anybody opens them. */
const loadLaterTabs = loadScreen(() => import("./merged-tabs.tsx"));
const later = (tab: (tabs: Awaited<ReturnType<typeof loadLaterTabs>>) => ComponentType<TabProps>) =>
  lazy(async () => ({ default: tab(await loadLaterTabs()) }));
const AnomaliesAndTicketsTab = later((tabs) => tabs.AnomaliesAndTicketsTab);
const RefusedTab = later((tabs) => tabs.RefusedTab);
const HistoryAndAuditTab = later((tabs) => tabs.HistoryAndAuditTab);

/** The tabs in their order, each with the operation that it needs. */
const TABS = [
  ["overview", t.overview, "getDevice", OverviewTab],
  ["telemetry", t.telemetry, "readSeries", TelemetryTab],
  ["anomalies", fleet.anomaliesAndTickets, "listAnomalies", AnomaliesAndTicketsTab],
  ["certificates", common.certificates, "listCertificates", CertificatesTab],
  ["refused", fleet.refusedTab, "listRejected", RefusedTab],
  ["history", t.history, "listTimeline", HistoryAndAuditTab],
] as const;

export default function DevicePage() {
  const { id } = usePathParams<"id">();
  const device = useQuery(deviceQuery(id));
  const back = { href: "/devices", label: common.devices };
  if (!device.data)
    return (
      <Page title={id} back={back}>
        <Loaded query={device}>{() => null}</Loaded>
      </Page>
    );
  return <DeviceScreen device={device.data.record} etag={device.data.etag} />;
}

function DeviceScreen({ device, etag }: TabProps) {
  const { operations } = useSession();
  const [{ tab: wanted }] = useUrlState();
  const offered = TABS.filter(([, , operation]) => operations.includes(operation));
  const [name, , , Content] = offered.find(([name]) => name === wanted) ?? TABS[0];
  const refused = useRefusedToday(device.id);
  useEffect(() => void loadLaterTabs().catch(() => undefined), []);
  const tabs = offered.map(([tab, label]) => ({
    href: tab === "overview" ? `/devices/${device.id}` : `/devices/${device.id}?tab=${tab}`,
    label: tab === "refused" && refused > 0 ? t.tabWithNumber(label, numberText(refused)) : label,
    current: tab === name,
  }));
  return (
    <Page
      title={device.name}
      back={{ href: "/devices", label: common.devices }}
      lead={
        <span className="row">
          <span className="mono">{device.id}</span>
          <Word of={CONNECTIVITY} value={device.connectivity.status} />
          <Word of={CERTIFICATE_STATES} value={device.certificateState} />
        </span>
      }
      actions={<DeviceActions device={device} etag={etag} />}
      tabs={<Tabs label={t.partsOfTheDevice} tabs={tabs} />}
    >
      <Suspense fallback={<Skeleton height={240} />}>
        <Content device={device} etag={etag} />
      </Suspense>
    </Page>
  );
}
