import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/devices.ts";
import { t as payloads } from "#texts/payloads.ts";
import type { Versioned } from "../../api/client.ts";
import {
  DEVICE_TYPES,
  type DeviceTypeDetail,
  deleteDeviceType,
  deviceTypeQuery,
  outdatedDevicesQuery,
  updateDeviceType,
} from "../../api/device-types.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { useVersion } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RecordPage } from "../../parts/record-page.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { type Column, Facts, Notice, Opens, Pager, Section, Table, Time } from "../../ui/ui.ts";
import { DeviceTypeForm } from "./device-type-form.tsx";
import { unstoredMetrics } from "./metric-values.ts";
import { silence } from "./silence.ts";
import { TryPayload } from "./try-payload.tsx";

/** A device type, the records that refer to it, and the devices whose certificates have former topics. */
export default function DeviceTypePage() {
  const { id } = usePathParams<"id">();
  const mayTry = useMay("tryPayload");
  return (
    <RecordPage
      query={useQuery(deviceTypeQuery(id))}
      back={{ href: "/device-types", label: t.deviceTypes }}
      kind={t.deviceType}
      title={({ record }) => record.name}
      actions={(type) => <Actions type={type} />}
    >
      {({ record }) => (
        <>
          <Facts framed facts={factsOf(record)} />
          {record.metrics.length > 0 && <Metrics metrics={record.metrics} />}
          {mayTry && <TryPayload type={record} />}
          <OutdatedDevices id={record.id} />
        </>
      )}
    </RecordPage>
  );
}

function factsOf(type: DeviceTypeDetail) {
  return {
    [common.publishesOn]: <Lines lines={type.publishTopics} />,
    [t.subscribesTo]: <Lines lines={type.subscribeTopics} />,
    [t.silentForAtMost]: silence(type.silentForSeconds),
    [payloads.payloadFormat]: payloads.formats[type.payloadFormat],
    [common.devices]: <a href={`/devices?deviceTypeId=${type.id}`}>{nouns.device(type.devices)}</a>,
    [t.claimsThatCanBeRedeemed]: String(type.openClaims),
    [common.changed]: <Time at={type.updatedAt} />,
  };
}

type MetricSetting = DeviceTypeDetail["metrics"][number];

/** Shows the labels, units and factors that the type gives to metrics. */
function Metrics({ metrics }: { metrics: readonly MetricSetting[] }) {
  const unstored = new Set(unstoredMetrics(metrics));
  const columns: readonly Column<MetricSetting>[] = [
    { title: common.metric, main: true, cell: ({ metric }) => <span className="mono">{metric}</span> },
    { title: payloads.label, cell: ({ label }) => label },
    { title: payloads.unit, cell: ({ unit }) => unit },
    {
      title: payloads.pointer,
      cell: (each) => (unstored.has(each) ? payloads.noneSoNotStored : each.pointer && <code>{each.pointer}</code>),
    },
    { title: payloads.factor, numeric: true, cell: ({ factor }) => factor },
  ];
  return (
    <Section title={payloads.metrics}>
      <Table label={payloads.metrics} columns={columns} rows={metrics} rowKey={({ metric }) => metric} />
    </Section>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <span className="soft">{common.nothing}</span>;
  return lines.map((line) => (
    <div key={line} className="mono">
      {line}
    </div>
  ));
}

function Actions({ type }: { type: Versioned<DeviceTypeDetail> }) {
  const { id, name } = type.record;
  const inUse = usedBy(type.record);
  if (!useMay("updateDeviceType")) return null;
  return (
    <>
      {inUse && <span className="soft">{inUse}</span>}
      <Asks
        label={common.delete}
        impossible={inUse}
        title={t.delete(name)}
        action={t.deleteDeviceType}
        typed={name}
        run={() => deleteDeviceType(id)}
        done={t.deviceTypeIsDeleted(name)}
        leads="/device-types"
        refreshes={[DEVICE_TYPES]}
      >
        <p>{t.noDeviceHasItAnd}</p>
      </Asks>
      <Opens main label={t.change} title={t.change2(name)}>
        {(close) => <ChangeType opened={type} onClose={close} />}
      </Opens>
    </>
  );
}

function ChangeType({ opened, onClose }: { opened: Versioned<DeviceTypeDetail>; onClose: () => void }) {
  const { record, etag, load } = useVersion(opened, deviceTypeQuery(opened.record.id));
  return (
    <>
      {record.devices > 0 && <p>{t.devicesKeepTheirTopics(record.devices)}</p>}
      <DeviceTypeForm
        operation="updateDeviceType"
        action={common.save}
        type={opened.record}
        onClose={onClose}
        load={load}
        onSubmit={(fields) => updateDeviceType(record.id, etag, fields)}
        done={common.saved}
      />
    </>
  );
}

/** Says why a type cannot be deleted now. */
function usedBy({ devices, openClaims }: DeviceTypeDetail): string | undefined {
  if (devices > 0) return t.devicesHaveThisType(devices);
  if (openClaims > 0) return t.openClaimsNameThisType(openClaims);
  return undefined;
}

type Outdated = { id: string; name: string; certificateIds: string[] };
const OUTDATED_COLUMNS: readonly Column<Outdated>[] = [
  { title: common.device, main: true, cell: ({ id, name }) => name || id },
  { title: common.deviceId, cell: ({ id }) => <span className="mono">{id}</span> },
  {
    title: common.certificates,
    cell: ({ certificateIds }) =>
      certificateIds.map((each, at) => (
        <span key={each}>
          {at > 0 && ", "}
          <a className="mono" href={`/certificates/${each}`}>
            {each.slice(-12)}
          </a>
        </span>
      )),
  },
];

/** Devices that still publish on former topics of the type, because the topics of a certificate never change. */
function OutdatedDevices({ id }: { id: string }) {
  const [skip, setSkip] = useState(0);
  return (
    <Section title={t.devicesWithFormerTopics} lead={t.theTopicsOfACertificate}>
      <Loaded query={useQuery(outdatedDevicesQuery(id, skip))}>
        {(page) => (
          <>
            <Table
              label={t.devicesWithFormerTopics}
              rows={page.items}
              href={(device) => `/devices/${encodeURIComponent(device.id)}`}
              columns={OUTDATED_COLUMNS}
              empty={<Notice tone="good">{t.everyLiveCertificateOfThis}</Notice>}
            />
            <Pager page={page} of={nouns.device} onSkip={setSkip} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
