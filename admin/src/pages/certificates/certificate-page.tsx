import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
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
      back={{ href: "/certificates", label: "Certificates" }}
      kind="Certificate"
      title={({ deviceId }) => `Certificate of ${deviceId}`}
      actions={(certificate) => <Actions certificate={certificate} />}
    >
      {(certificate) => (
        <>
          <Successor certificate={certificate} />
          <Facts framed facts={factsOf(certificate)} />
          <Chain certificateId={certificate.id} />
          <Section title="PEM">
            <CopyBlock label="The certificate without its chain" file={`${certificate.deviceId}.pem`}>
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
      {rotates && <Action label="Rotate" href={`/devices/${encodeURIComponent(deviceId)}/rotate`} />}
      {revokes && <Action danger label="Revoke" onClick={() => setRevoking(true)} />}
      <RevokeDialog certificate={certificate} opened={revoking} onClose={() => setRevoking(false)} />
    </>
  );
}

function Successor({ certificate: { liveSuccessor } }: { certificate: CertificateDetail }) {
  if (!liveSuccessor) return null;
  return (
    <Notice tone="accent" title="Renewals have replaced this certificate.">
      <p>
        The device goes on with{" "}
        <a className="mono" href={`/certificates/${liveSuccessor.id}`}>
          …{liveSuccessor.serialNumber.slice(-10)}
        </a>
        , which expires <Ago at={liveSuccessor.expiresAt} />.
      </p>
    </Notice>
  );
}

function factsOf(certificate: CertificateDetail) {
  const { deviceId, session, revokedAt, revokedBy, renewAfterUtc, publishTopics } = certificate;
  const mono = (text: string) => <span className="mono">{text}</span>;
  return {
    State: <CertificateState certificate={certificate} />,
    Device: <a href={`/devices/${encodeURIComponent(deviceId)}`}>{mono(deviceId)}</a>,
    Kind: CERTIFICATE_KINDS[certificate.kind],
    Issued: <Time at={certificate.issuedAt} />,
    "Issued by": <Actor of={certificate.issuedBy} />,
    Expires: <Time at={certificate.expiresAt} />,
    ...(renewAfterUtc && { "Renews itself from": <Time at={renewAfterUtc} /> }),
    "Last connected": <Ago at={certificate.lastConnectedAt} />,
    Session: session ? <SessionOf {...session} /> : "none",
    ...(revokedAt && { Revoked: <Time at={revokedAt} />, "Revoked by": revokedBy && <Actor of={revokedBy} /> }),
    "Publishes on": publishTopics.length > 0 ? mono(publishTopics.join(", ")) : "nothing",
    "Serial number": mono(certificate.serialNumber),
    "SHA-256": mono(certificate.fingerprintSha256),
    Subject: mono(certificate.subject),
  };
}

function SessionOf({ connectedAt, remoteAddress }: { connectedAt: string; remoteAddress: string }) {
  return (
    <>
      since <Time at={connectedAt} /> from <span className="mono">{remoteAddress}</span>
    </>
  );
}

/** The certificates that a client presents, and the authorities by which the broker verifies them. */
function Chain({ certificateId }: { certificateId: string }) {
  return (
    <Section
      title="Chain"
      lead="A client presents its certificate followed by the intermediate. One that presents the certificate alone is refused."
    >
      <Loaded query={useQuery(chainQuery(certificateId))}>
        {({ fullchainPem, issuers }) => (
          <>
            <ol className="chain stack-tight">
              <li>The certificate</li>
              {issuers.map(({ id, role, name, status, notAfter, fingerprintSha256 }) => (
                <li key={id}>
                  {role === "device_root" ? "Root" : "Intermediate"} <strong>{name}</strong>, {status}, until{" "}
                  <Time at={notAfter} />
                  <br />
                  <span className="mono soft">{fingerprintSha256}</span>
                </li>
              ))}
            </ol>
            <details>
              <summary>What the client presents, as PEM</summary>
              <CopyBlock label="Certificate and intermediate" file="fullchain.pem">
                {fullchainPem}
              </CopyBlock>
            </details>
          </>
        )}
      </Loaded>
    </Section>
  );
}
