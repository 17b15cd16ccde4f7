import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type CertificateDetail, certificateQuery } from "../../api/certificates.ts";
import { Actor } from "../../parts/actor.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Ago, Time } from "../../ui/display/time.tsx";
import { CopyBlock } from "../../ui/input/copy.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel, Section } from "../../ui/page/page.tsx";
import { CERTIFICATE_KINDS } from "../../words/certificates.ts";
import { CertificateState } from "./certificate-state.tsx";
import { Chain } from "./chain.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";

/** A certificate with its chain, its PEM and the session that was opened with it. */
export default function CertificatePage() {
  const { id } = usePathParams<"id">();
  const query = useQuery(certificateQuery(id));
  const { data } = query;
  return (
    <Page
      title={data ? `Certificate of ${data.deviceId}` : "Certificate"}
      back={{ href: "/certificates", label: "Certificates" }}
      actions={data && <Actions certificate={data} />}
    >
      <Loaded query={query}>
        {(certificate) => (
          <>
            <Successor certificate={certificate} />
            <Panel>
              <Facts facts={factsOf(certificate)} />
            </Panel>
            <Chain certificateId={certificate.id} />
            <Section title="PEM">
              <CopyBlock label="The certificate without its chain" file={`${certificate.deviceId}.pem`}>
                {certificate.pem}
              </CopyBlock>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ certificate }: { certificate: CertificateDetail }) {
  const [revoking, setRevoking] = useState(false);
  const [mayIssue, mayRevoke] = [useMay("issueCertificate"), useMay("revokeCertificate")];
  const revoked = certificate.status === "revoked";
  return (
    <>
      {mayIssue && certificate.kind === "platform" && (
        <Button component="a" variant="default" href={`/devices/${encodeURIComponent(certificate.deviceId)}/rotate`}>
          Rotate
        </Button>
      )}
      {mayRevoke && !revoked && (
        <Button color="bad" variant="light" onClick={() => setRevoking(true)}>
          Revoke
        </Button>
      )}
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

function factsOf(certificate: CertificateDetail): (readonly [string, React.ReactNode])[] {
  const { deviceId, session, revokedAt, revokedBy } = certificate;
  const mono = (text: string) => <span className="mono">{text}</span>;
  return [
    ["State", <CertificateState key="state" certificate={certificate} />],
    [
      "Device",
      <a key="device" className="mono" href={`/devices/${encodeURIComponent(deviceId)}`}>
        {deviceId}
      </a>,
    ],
    ["Kind", CERTIFICATE_KINDS[certificate.kind]],
    ["Issued", <Time key="issued" at={certificate.issuedAt} />],
    ["Issued by", <Actor key="by" of={certificate.issuedBy} />],
    ["Expires", <Time key="expires" at={certificate.expiresAt} />],
    ...(certificate.renewAfterUtc
      ? [["Renews itself from", <Time key="renew" at={certificate.renewAfterUtc} />] as const]
      : []),
    ["Last connected", <Ago key="last" at={certificate.lastConnectedAt} />],
    ["Session", session ? <SessionOf key="session" {...session} /> : "none"],
    ...(revokedAt
      ? ([
          ["Revoked", <Time key="revoked" at={revokedAt} />],
          ["Revoked by", revokedBy && <Actor key="revoked-by" of={revokedBy} />],
        ] as const)
      : []),
    ["Publishes on", certificate.publishTopics.length > 0 ? mono(certificate.publishTopics.join(", ")) : "nothing"],
    ["Serial number", mono(certificate.serialNumber)],
    ["SHA-256", mono(certificate.fingerprintSha256)],
    ["Subject", mono(certificate.subject)],
  ];
}

function SessionOf({ connectedAt, remoteAddress }: { connectedAt: string; remoteAddress: string }) {
  return (
    <>
      since <Time at={connectedAt} /> from <span className="mono">{remoteAddress}</span>
    </>
  );
}
