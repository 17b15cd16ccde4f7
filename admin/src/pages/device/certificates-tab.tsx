import { useQuery } from "@tanstack/react-query";
import {
  CERTIFICATES,
  type Certificate,
  certificatesOfDeviceQuery,
  revokeCertificatesOfDevice,
} from "../../api/certificates.ts";
import { DEVICES, type Device } from "../../api/devices.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { Action, Ago, type Column, Empty, Notice, plural, Section, Time } from "../../ui/ui.ts";
import { CERTIFICATE_KINDS } from "../../words/certificates.ts";
import { CertificateState } from "../certificates/certificate-state.tsx";
import type { TabProps } from "./tab-props.ts";

interface LiveProps {
  device: Device;
  /** The certificates that are neither revoked nor expired. */
  live: readonly Certificate[];
}

const COLUMNS: readonly Column<Certificate>[] = [
  {
    title: "Serial number",
    main: true,
    cell: ({ serialNumber }) => <span className="mono">…{serialNumber.slice(-10)}</span>,
  },
  { title: "Kind", cell: ({ kind }) => CERTIFICATE_KINDS[kind] },
  { title: "State", cell: (certificate) => <CertificateState certificate={certificate} /> },
  { title: "Issued", cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  { title: "Last connected", cell: ({ lastConnectedAt }) => <Ago at={lastConnectedAt} /> },
  { title: "Publishes on", cell: ({ publishTopics }) => <Topics topics={publishTopics} /> },
];

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return <span className="soft">nowhere</span>;
  return <span className="mono">{topics.join(" ")}</span>;
}

/** Every certificate that the device has had, and the acts on all of them. */
export function CertificatesTab({ device }: TabProps) {
  const query = useQuery(certificatesOfDeviceQuery(device.id));
  const live = query.data?.items.filter(({ status, expired }) => status === "active" && !expired);
  return (
    <Section
      title="Certificates"
      lead="Every one that the device has had, newest first."
      actions={live && <Acts device={device} live={live} />}
    >
      <Records
        label="Certificates of the device"
        columns={COLUMNS}
        query={query}
        href={({ id }) => `/certificates/${id}`}
        empty={
          <Empty
            title="The device has no certificate"
            action={<a href={`/devices/${device.id}/connect`}>Connect the device</a>}
          >
            It cannot connect yet.
          </Empty>
        }
      />
    </Section>
  );
}

/** A live bundle is replaced without a gap; a device without one gets its first. */
function Acts({ device, live }: LiveProps) {
  const [mayIssue, mayRevoke] = [useMay("issueCertificate"), useMay("revokeCertificatesOfDevice")];
  const id = encodeURIComponent(device.id);
  const rotates = live.some(({ kind }) => kind === "platform");
  const href = rotates ? `/devices/${id}/rotate` : `/certificates?issue=${id}`;
  return (
    <>
      {mayIssue && <Action label={rotates ? "Rotate" : "Issue bundle"} href={href} />}
      {mayRevoke && <RevokeAll device={device} live={live} />}
    </>
  );
}

/** Revokes every live certificate of a device, after saying what ends and what the device needs then. */
function RevokeAll({ device: { id, name, connectivity, hardwareFingerprint }, live }: LiveProps) {
  return (
    <Asks
      danger
      label="Revoke all"
      impossible={live.length === 0 ? "The device has no live certificate." : undefined}
      title={`Revoke all certificates of ${name}?`}
      action={`Revoke ${plural(live.length, "certificate")}`}
      typed={id}
      run={() => revokeCertificatesOfDevice(id)}
      done={({ revoked }) => `Revoked ${plural(revoked.length, "certificate")} of ${name}.`}
      refreshes={[CERTIFICATES, DEVICES, "/api/admin/overview", "/api/admin/audit"]}
    >
      <Notice tone="bad" title="They cannot be restored.">
        {connectivity.status === "online" ? (
          <p>
            <strong>The device is connected</strong> since <Time at={connectivity.since} />: its session is closed at
            once.
          </p>
        ) : (
          <p>The device is not connected now.</p>
        )}
        <p>
          The device cannot connect until it gets a new certificate.{" "}
          {hardwareFingerprint === null
            ? "Issue a bundle for it and install that on the device."
            : "Issue a bundle for it; or delete the device, so that it can enroll again with a new claim."}
        </p>
      </Notice>
      <ul>
        {live.map((each) => (
          <li key={each.id}>
            {CERTIFICATE_KINDS[each.kind]} <span className="mono">…{each.serialNumber.slice(-10)}</span>, expires{" "}
            <Time at={each.expiresAt} />
          </li>
        ))}
      </ul>
    </Asks>
  );
}
