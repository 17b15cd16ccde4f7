import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/device.ts";
import type { Schemas } from "../../api/client.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { findingsOfDeviceQuery } from "../../api/devices.ts";
import { deviceOnCallQuery, type OnCall } from "../../api/people/on-call.ts";
import { GroupNames } from "../../parts/group-names.tsx";
import { RejectedNotice } from "../../parts/rejected-notice.tsx";
import { useMay } from "../../parts/session.ts";
import { Ago, Facts, Notice, Section, Status, Time } from "../../ui/ui.ts";
import { explainedFinding } from "../../words/explained-findings.ts";
import { FINDINGS } from "../../words/findings.ts";
import { MaintenanceNotice } from "../maintenance/maintenance-notice.tsx";
import { CommandsTab } from "./commands/commands-tab.tsx";
import { useDependencies } from "./dependencies.tsx";
import { metadataText } from "./metadata.ts";
import type { TabProps } from "./tab-props.ts";
import { LatestValues } from "./telemetry/latest-values.tsx";
import "./metadata.css";

/** The facts of the device, its latest values, its faults and its commands. */
export function OverviewTab({ device, etag }: TabProps) {
  const types = useQuery(deviceTypesQuery).data?.items;
  const type = types?.find(({ id }) => id === device.deviceTypeId);
  const { connectivity, metadata } = device;
  const dependencies = useDependencies(device);
  const facts = {
    [t.deviceIdMqttClientId]: <span className="mono">{device.id}</span>,
    [common.type]: type?.name ?? device.deviceTypeId,
    [common.groups]: <GroupNames ids={device.groupIds} none={t.noneOnlyAdministratorsSeeIt} />,
    [t.onDutyForIt]: <OnCallNow id={device.id} />,
    ...dependencies,
    [t.lastSeen]: <Ago at={device.lastSeenAt} />,
    [connectivity.status === "online" ? t.onlineSince : t.offlineSince]: <Time at={connectivity.since} />,
    [t.reason]: connectivity.reason,
    [t.hardwareModel]: device.hardwareModel,
    [t.hardwareFingerprint]: device.hardwareFingerprint,
    [t.agentVersion]: device.agentVersion,
    [t.agentCapabilities]: device.agentCapabilities.join(", "),
    [t.macAddress]: device.macAddress,
    [t.added]: <Time at={device.createdAt} />,
    [common.description]: device.description,
    [t.metadata]: Object.keys(metadata).length > 0 && <code className="metadata">{metadataText(metadata)}</code>,
  };
  return (
    <div className="stack-loose">
      <MaintenanceNotice deviceId={device.id} />
      <RejectedNotice deviceId={device.id} />
      <DeviceWarnings device={device} />
      <Facts framed facts={facts} />
      <Section title={t.latestValues}>
        <LatestValues device={device} />
      </Section>
      {useMay("listCommands") && <CommandsTab device={device} etag={etag} />}
    </div>
  );
}

/** The people on duty for a device now, and the gap in which an anomaly would page no user. */
function OnCallNow({ id }: { id: string }) {
  const { data } = useQuery(deviceOnCallQuery(id));
  if (!data) return <span className="soft">–</span>;
  const uncovered = data.gaps[0] && Date.parse(data.gaps[0].from) <= Date.now();
  return (
    <>
      {data.now.map((duty) => (
        <div key={`${duty.groupId} ${duty.shiftId}`}>
          {duty.users.length > 0 ? duty.users.map(({ email }) => email).join(", ") : t.noActiveUser} ({duty.shiftName})
        </div>
      ))}
      {data.now.length === 0 && <div className="soft">{t.noShift}</div>}
      {uncovered && <Status of={["bad", t.uncoveredAnAnomalyNowWould]} plain />}
      {!uncovered && <NextGap gaps={data.gaps} />}
    </>
  );
}

function NextGap({ gaps: [next] }: Pick<OnCall, "gaps">) {
  if (!next) return null;
  const label = <>{t.uncovered(<Ago at={next.from} />)}</>;
  return <Status plain of={["warn", label]} />;
}

const ENDED = new Set(["expired", "revoked"]);

/** Whether a finding has no box of its own ({@link RejectedNotice}). */
function isNotShownAbove({ kind }: Schemas["Finding"]): boolean {
  return kind !== "values_rejected";
}

/** The faults of the device, each with its cure. */
function DeviceWarnings({ device }: Pick<TabProps, "device">) {
  const findings = useQuery({ ...findingsOfDeviceQuery(device.id), enabled: useMay("listFindings") }).data?.items ?? [];
  return (
    <>
      {ENDED.has(device.certificateState) && (
        <Notice tone="bad" title={t.theDeviceHasNoValid}>
          <p>{t.itsNextConnectionIsRefused(<a href={`/devices/${device.id}/connect`}>{t.connectItAgain}</a>)}</p>
        </Notice>
      )}
      {findings.filter(isNotShownAbove).map((finding) => (
        <FindingNotice key={`${finding.kind} ${finding.at}`} finding={finding} />
      ))}
    </>
  );
}

function FindingNotice({ finding }: { finding: Schemas["Finding"] }) {
  const { kind, metrics } = finding;
  const { cause, cure } = explainedFinding(finding);
  return (
    <Notice tone="warn" title={FINDINGS[kind] ?? kind}>
      <p>
        {cause} {metrics.length > 0 && t.itConcerns(metrics.slice(0, 5).join(", "))}
      </p>
      <p>{cure}</p>
    </Notice>
  );
}
