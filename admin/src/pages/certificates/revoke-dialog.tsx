import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/certificates.ts";
import { CERTIFICATES, type CertificateDetail, certificateQuery, revokeCertificate } from "../../api/certificates.ts";
import { DEVICES } from "../../api/devices.ts";
import { Confirm } from "../../parts/act/confirm.tsx";
import { Notice, Time } from "../../ui/ui.ts";

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
      title={t.revokeThisCertificate}
      opened={opened}
      onClose={onClose}
      action={t.revokeCertificate}
      typed={deviceId}
      run={() => revokeCertificate(id, withSuccessors)}
      done={({ revoked }) => t.revokedOf(nouns.certificate(revoked.length), deviceId)}
      refreshes={[CERTIFICATES, DEVICES, "/api/admin/overview"]}
    >
      <Notice tone="bad" title={t.itCannotBeRestored}>
        {session ? (
          <p>
            {t.sinceFrom2(<strong>{t.isConnectedWithIt(deviceId)}</strong>, <Time at={session.connectedAt} />)}
            {t.thisSessionIsClosedAt(<span className="mono">{session.remoteAddress}</span>)}
          </p>
        ) : (
          <p>{t.noSessionWasOpenedWith}</p>
        )}
        <p>{whatIsLeft(current.otherLiveCertificates - (withSuccessors && liveSuccessor ? 1 : 0))}</p>
      </Notice>
      {liveSuccessor && (
        <Checkbox
          label={t.revokeTheCertificatesByWhich}
          checked={withSuccessors}
          onChange={(event) => setWithSuccessors(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  );
}

function whatIsLeft(certificates: number): string {
  if (certificates <= 0) return t.theDeviceHasNoOther;
  return t.theDeviceHasWithWhich(nouns.otherLiveCertificate(certificates));
}
