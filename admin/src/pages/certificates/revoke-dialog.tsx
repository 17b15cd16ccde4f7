import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CERTIFICATES, type CertificateDetail, certificateQuery, revokeCertificate } from "../../api/certificates.ts";
import { DEVICES } from "../../api/devices.ts";
import { Confirm } from "../../parts/act/confirm.tsx";
import { Notice, plural, Time } from "../../ui/ui.ts";

interface RevokeDialogProps {
  certificate: CertificateDetail;
  opened: boolean;
  onClose: () => void;
}

/** Revokes a certificate, after saying what that changes for its device. */
export function RevokeDialog({ certificate, opened, onClose }: RevokeDialogProps) {
  const { id, deviceId } = certificate;
  const [withSuccessors, setWithSuccessors] = useState(false);
  // The session may have been opened since the page was read.
  const { data } = useQuery({ ...certificateQuery(id), enabled: opened, staleTime: 0 });
  const { session, liveSuccessor, ...current } = data ?? certificate;
  return (
    <Confirm
      title="Revoke this certificate?"
      opened={opened}
      onClose={onClose}
      action="Revoke certificate"
      typed={deviceId}
      run={() => revokeCertificate(id, withSuccessors)}
      done={({ revoked }) => `Revoked ${plural(revoked.length, "certificate")} of ${deviceId}.`}
      refreshes={[CERTIFICATES, DEVICES, "/api/admin/overview"]}
    >
      <Notice tone="bad" title="It cannot be restored.">
        {session ? (
          <p>
            <strong>{deviceId} is connected with it</strong> since <Time at={session.connectedAt} /> from{" "}
            <span className="mono">{session.remoteAddress}</span>. This session is closed at once.
          </p>
        ) : (
          <p>No session was opened with it that is still open.</p>
        )}
        <p>{whatIsLeft(current.otherLiveCertificates - (withSuccessors && liveSuccessor ? 1 : 0))}</p>
      </Notice>
      {liveSuccessor && (
        <Checkbox
          label="Revoke the certificates by which renewals have replaced it, too"
          checked={withSuccessors}
          onChange={(event) => setWithSuccessors(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  );
}

function whatIsLeft(certificates: number): string {
  if (certificates <= 0) return "The device has no other live certificate: it cannot connect until it gets a new one.";
  return `The device has ${plural(certificates, "other live certificate")}, with which it can connect.`;
}
