import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/certificates.ts";
import { type CertificateDetail, certificateQuery, chainQuery } from "../../api/certificates.ts";
import { Actor } from "../../parts/actor.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RecordPage } from "../../parts/record-page.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Action, Ago, CopyBlock, Facts, Notice, Section, Time } from "../../ui/ui.ts";
import { CERTIFICATE_KINDS } from "../../words/certificates.ts";
import { CertificateState } from "./certificate-state.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";
import "./chain.css";

/** A certificate with its chain, its PEM and the session that was opened with it. */
export default function CertificatePage() {
  const { id } = usePathParams<"id">();
  return (
    <RecordPage
      query={useQuery(certificateQuery(id))}
      back={{ href: "/certificates", label: common.certificates }}
      kind={common.certificate}
      title={({ deviceId }) => t.certificateOf(deviceId)}
      actions={(certificate) => <Actions certificate={certificate} />}
    >
      {(certificate) => (
        <>
          <Successor certificate={certificate} />
          <Facts framed facts={factsOf(certificate)} />
          <Chain certificateId={certificate.id} />
          <Section title={t.pem}>
            <CopyBlock label={t.theCertificateWithoutItsChain} file={`${certificate.deviceId}.pem`}>
              {certificate.pem}
            </CopyBlock>
          </Section>
        </>
      )}
    </RecordPage>
  );
}

function Actions({ certificate }: { certificate: CertificateDetail }) {
  const [revoking, setRevoking] = useState(false);
  const { kind, status, deviceId } = certificate;
  const rotates = useMay("issueCertificate") && kind === "platform";
  const revokes = useMay("revokeCertificate") && status !== "revoked";
  return (
    <>
      {rotates && <Action label={t.rotate} href={`/devices/${encodeURIComponent(deviceId)}/rotate`} />}
      {revokes && <Action danger label={common.revoke} onClick={() => setRevoking(true)} />}
      <RevokeDialog certificate={certificate} opened={revoking} onClose={() => setRevoking(false)} />
    </>
  );
}

function Successor({ certificate: { liveSuccessor } }: { certificate: CertificateDetail }) {
  if (!liveSuccessor) return null;
  return (
    <Notice tone="accent" title={t.renewalsHaveReplacedThisCertificate}>
      <p>
        {t.theDeviceGoesOnWith}
        <a className="mono" href={`/certificates/${liveSuccessor.id}`}>
          …{liveSuccessor.serialNumber.slice(-10)}
        </a>
        {t.whichExpires(<Ago at={liveSuccessor.expiresAt} />)}
      </p>
    </Notice>
  );
}

function factsOf(certificate: CertificateDetail) {
  const { deviceId, session, revokedAt, revokedBy, renewAfterUtc, publishTopics } = certificate;
  const mono = (text: string) => <span className="mono">{text}</span>;
  return {
    [common.state]: <CertificateState certificate={certificate} />,
    [common.device]: <a href={`/devices/${encodeURIComponent(deviceId)}`}>{mono(deviceId)}</a>,
    [common.kind]: CERTIFICATE_KINDS[certificate.kind],
    [t.issued]: <Time at={certificate.issuedAt} />,
    [t.issuedBy]: <Actor of={certificate.issuedBy} />,
    [common.expires]: <Time at={certificate.expiresAt} />,
    ...(renewAfterUtc && { [t.renewsItselfFrom]: <Time at={renewAfterUtc} /> }),
    [t.lastConnected]: <Ago at={certificate.lastConnectedAt} />,
    [t.session]: session ? <SessionOf {...session} /> : common.none,
    ...(revokedAt && {
      [common.revoked]: <Time at={revokedAt} />,
      [t.revokedBy]: revokedBy && <Actor of={revokedBy} />,
    }),
    [common.publishesOn]: publishTopics.length > 0 ? mono(publishTopics.join(", ")) : common.nothing,
    [t.serialNumber]: mono(certificate.serialNumber),
    "SHA-256": mono(certificate.fingerprintSha256),
    [t.subject]: mono(certificate.subject),
  };
}

function SessionOf({ connectedAt, remoteAddress }: { connectedAt: string; remoteAddress: string }) {
  return <>{t.sinceFrom(<Time at={connectedAt} />, <span className="mono">{remoteAddress}</span>)}</>;
}

/** The certificates that a client presents, and the authorities by which the broker verifies them. */
function Chain({ certificateId }: { certificateId: string }) {
  return (
    <Section title={t.chain} lead={t.aClientPresentsItsCertificate}>
      <Loaded query={useQuery(chainQuery(certificateId))}>
        {({ fullchainPem, issuers }) => (
          <>
            <ol className="chain stack-tight">
              <li>{t.theCertificate}</li>
              {issuers.map(({ id, role, name, status, notAfter, fingerprintSha256 }) => (
                <li key={id}>
                  {t.until(role === "device_root" ? t.root : t.intermediate, <strong>{name}</strong>, status)}
                  <Time at={notAfter} />
                  <br />
                  <span className="mono soft">{fingerprintSha256}</span>
                </li>
              ))}
            </ol>
            <details>
              <summary>{t.whatTheClientPresentsAs}</summary>
              <CopyBlock label={t.certificateAndIntermediate} file="fullchain.pem">
                {fullchainPem}
              </CopyBlock>
            </details>
          </>
        )}
      </Loaded>
    </Section>
  );
}
