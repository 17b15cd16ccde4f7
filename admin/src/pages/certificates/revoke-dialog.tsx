import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CERTIFICATES, type CertificateDetail, certificateQuery, revokeCertificate } from "../../api/certificates.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { plural } from "../../ui/display/format.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";

interface RevokeDialogProps {
  certificate: CertificateDetail;
  opened: boolean;
  onClose: () => void;
  onRevoked?: () => void;
}

/** Revokes a certificate, after saying what that changes for its device. */
export function RevokeDialog({ certificate, opened, onClose, onRevoked }: RevokeDialogProps) {
  const [withSuccessors, setWithSuccessors] = useState(false);
  const refresh = useRefresh();
  // The session may have been opened since the page was read.
  const { data } = useQuery({ ...certificateQuery(certificate.id), enabled: opened, staleTime: 0 });
  const current = data ?? certificate;
  return (
    <Confirm
      title="Revoke this certificate?"
      opened={opened}
      onClose={onClose}
      action="Revoke certificate"
      typed={certificate.deviceId}
      problem={renderProblem}
      onConfirm={async () => {
        const { revoked } = await revokeCertificate(certificate.id, withSuccessors);
        toast(`Revoked ${plural(revoked.length, "certificate")} of ${certificate.deviceId}.`);
        await refresh(CERTIFICATES, "/api/admin/devices", "/api/admin/overview");
        onRevoked?.();
      }}
    >
      <Consequence certificate={current} withSuccessors={withSuccessors} />
      {current.liveSuccessor && (
        <Checkbox
          label="Revoke the certificates by which renewals have replaced it, too"
          checked={withSuccessors}
          onChange={(event) => setWithSuccessors(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  );
}

interface ConsequenceProps {
  certificate: CertificateDetail;
  withSuccessors: boolean;
}

function Consequence({ certificate, withSuccessors }: ConsequenceProps) {
  const { deviceId, session } = certificate;
  return (
    <Notice tone="bad" title="It cannot be restored.">
      {session ? (
        <p>
          <strong>{deviceId} is connected with it</strong> since <Time at={session.connectedAt} /> from{" "}
          <span className="mono">{session.remoteAddress}</span>. This session is closed at once.
        </p>
      ) : (
        <p>No session was opened with it that is still open.</p>
      )}
      <p>{whatIsLeft(certificate, withSuccessors)}</p>
    </Notice>
  );
}

function whatIsLeft({ otherLiveCertificates, liveSuccessor }: CertificateDetail, withSuccessors: boolean): string {
  const left = otherLiveCertificates - (withSuccessors && liveSuccessor ? 1 : 0);
  if (left <= 0) return "The device has no other live certificate: it cannot connect until it gets a new one.";
  return `The device has ${plural(left, "other live certificate")}, with which it can connect.`;
}
