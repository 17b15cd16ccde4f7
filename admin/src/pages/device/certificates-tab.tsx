import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/device.ts";
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
import { Action, Ago, type Column, Empty, Notice, Section, Time } from "../../ui/ui.ts";
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
    title: t.serialNumber,
    main: true,
    cell: ({ serialNumber }) => <span className="mono">…{serialNumber.slice(-10)}</span>,
  },
  { title: common.kind, cell: ({ kind }) => CERTIFICATE_KINDS[kind] },
  { title: common.state, cell: (certificate) => <CertificateState certificate={certificate} /> },
  { title: t.issued, cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  { title: common.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  { title: t.lastConnected, cell: ({ lastConnectedAt }) => <Ago at={lastConnectedAt} /> },
  { title: common.publishesOn, cell: ({ publishTopics }) => <Topics topics={publishTopics} /> },
];

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return <span className="soft">{t.nowhere}</span>;
  return <span className="mono">{topics.join(" ")}</span>;
}

/** Every certificate that the device has had, and the acts on all of them. */
export function CertificatesTab({ device }: TabProps) {
  const query = useQuery(certificatesOfDeviceQuery(device.id));
  const live = query.data?.items.filter(({ status, expired }) => status === "active" && !expired);
  return (
    <Section
      title={common.certificates}
      lead={t.everyOneThatTheDevice}
      actions={live && <Acts device={device} live={live} />}
    >
      <Records
        label={t.certificatesOfTheDevice}
        columns={COLUMNS}
        query={query}
        href={({ id }) => `/certificates/${id}`}
        empty={
          <Empty
            title={t.theDeviceHasNoCertificate}
            action={<a href={`/devices/${device.id}/connect`}>{t.connectTheDevice}</a>}
          >
            {t.itCannotConnectYet}
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
      {mayIssue && <Action label={rotates ? t.rotate : t.issueBundle} href={href} />}
      {mayRevoke && <RevokeAll device={device} live={live} />}
    </>
  );
}

/** Revokes every live certificate of a device, after saying what ends and what the device needs then. */
function RevokeAll({ device: { id, name, connectivity, hardwareFingerprint }, live }: LiveProps) {
  return (
    <Asks
      danger
      label={t.revokeAll}
      impossible={live.length === 0 ? t.theDeviceHasNoLive : undefined}
      title={t.revokeAllCertificatesOf(name)}
      action={t.revoke(nouns.certificate(live.length))}
      typed={id}
      run={() => revokeCertificatesOfDevice(id)}
      done={({ revoked }) => t.revokedOf(nouns.certificate(revoked.length), name)}
      refreshes={[CERTIFICATES, DEVICES, "/api/admin/overview", "/api/admin/audit"]}
    >
      <Notice tone="bad" title={t.theyCannotBeRestored}>
        {connectivity.status === "online" ? (
          <p>
            {t.sinceItsSessionIsClosed(<strong>{t.theDeviceIsConnected}</strong>, <Time at={connectivity.since} />)}
          </p>
        ) : (
          <p>{t.theDeviceIsNotConnectedNow}</p>
        )}
        <p>
          {t.theDeviceCannotConnectUntil}
          {hardwareFingerprint === null ? t.issueABundleForIt : t.issueABundleForItOr}
        </p>
      </Notice>
      <ul>
        {live.map((each) => (
          <li key={each.id}>
            {t.expires(CERTIFICATE_KINDS[each.kind], <span className="mono">…{each.serialNumber.slice(-10)}</span>)}
            <Time at={each.expiresAt} />
          </li>
        ))}
      </ul>
    </Asks>
  );
}
