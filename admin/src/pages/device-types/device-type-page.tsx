import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
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
import { type Column, Facts, Notice, Opens, Pager, plural, Section, Table, Time } from "../../ui/ui.ts";
import { DeviceTypeForm } from "./device-type-form.tsx";
import { silence } from "./silence.ts";

/** A device type, the records that refer to it, and the devices whose certificates have former topics. */
export default function DeviceTypePage() {
  const { id } = usePathParams<"id">();
  return (
    <RecordPage
      query={useQuery(deviceTypeQuery(id))}
      back={{ href: "/device-types", label: "Device types" }}
      kind="Device type"
      title={({ record }) => record.name}
      actions={(type) => <Actions type={type} />}
    >
      {({ record }) => (
        <>
          <Facts framed facts={factsOf(record)} />
          <OutdatedDevices id={record.id} />
        </>
      )}
    </RecordPage>
  );
}

function factsOf(type: DeviceTypeDetail) {
  return {
    "Publishes on": <Lines lines={type.publishTopics} />,
    "Subscribes to": <Lines lines={type.subscribeTopics} />,
    "Silent for at most": silence(type.silentForSeconds),
    Devices: <a href={`/devices?deviceTypeId=${type.id}`}>{plural(type.devices, "device")}</a>,
    "Claims that can be redeemed": String(type.openClaims),
    Changed: <Time at={type.updatedAt} />,
  };
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <span className="soft">nothing</span>;
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
        label="Delete"
        impossible={inUse}
        title={`Delete ${name}?`}
        action="Delete device type"
        typed={name}
        run={() => deleteDeviceType(id)}
        done={`Device type ${name} is deleted.`}
        leads="/device-types"
        refreshes={[DEVICE_TYPES]}
      >
        <p>No device has it, and no open claim names it. It cannot be restored.</p>
      </Asks>
      <Opens main label="Change" title={`Change ${name}`}>
        {(close) => <ChangeType opened={type} onClose={close} />}
      </Opens>
    </>
  );
}

function ChangeType({ opened, onClose }: { opened: Versioned<DeviceTypeDetail>; onClose: () => void }) {
  const { record, etag, load } = useVersion(opened, deviceTypeQuery(opened.record.id));
  return (
    <>
      {record.devices > 0 && (
        <p>
          {plural(record.devices, "device")} of this type {record.devices === 1 ? "goes" : "go"} on with the topics of
          the certificate in use. A renewal, or a new bundle, gets the changed ones.
        </p>
      )}
      <DeviceTypeForm
        operation="updateDeviceType"
        action="Save"
        type={opened.record}
        onClose={onClose}
        load={load}
        onSubmit={(fields) => updateDeviceType(record.id, etag, fields)}
        done="Saved."
      />
    </>
  );
}

/** Says why a type cannot be deleted now. */
function usedBy({ devices, openClaims }: DeviceTypeDetail): string | undefined {
  if (devices > 0) return `${plural(devices, "device")} ${devices === 1 ? "has" : "have"} this type.`;
  if (openClaims > 0) return `${plural(openClaims, "open claim")} ${openClaims === 1 ? "names" : "name"} this type.`;
  return undefined;
}

type Outdated = { id: string; name: string; certificateIds: string[] };
const OUTDATED_COLUMNS: readonly Column<Outdated>[] = [
  { title: "Device", main: true, cell: ({ id, name }) => name || id },
  { title: "Device id", cell: ({ id }) => <span className="mono">{id}</span> },
  {
    title: "Certificates",
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
    <Section
      title="Devices with former topics"
      lead="The topics of a certificate never change. These devices get the present topics with their next renewal or bundle."
    >
      <Loaded query={useQuery(outdatedDevicesQuery(id, skip))}>
        {(page) => (
          <>
            <Table
              label="Devices with former topics"
              rows={page.items}
              href={(device) => `/devices/${encodeURIComponent(device.id)}`}
              columns={OUTDATED_COLUMNS}
              empty={<Notice tone="good">Every live certificate of this type has its present topics.</Notice>}
            />
            <Pager page={page} of="device" onSkip={setSkip} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
