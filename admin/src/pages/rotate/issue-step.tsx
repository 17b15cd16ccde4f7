import { Button } from "@mantine/core";
import { useState } from "react";
import { BUNDLES_OF_DEVICE, type Bundle, type Certificate, issueCertificate } from "../../api/certificates.ts";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { Notice } from "../../ui/display/status.tsx";
import { Override, useOverride } from "../certificates/override.tsx";
import { Former } from "./former.tsx";

interface IssueStepProps {
  deviceId: string;
  former: readonly Certificate[];
  onIssued: (bundle: Bundle) => void;
}

/** Issues the bundle that replaces the former one. */
export function IssueStep({ deviceId, former, onIssued }: IssueStepProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const override = useOverride();
  const full = former.length >= BUNDLES_OF_DEVICE;
  const issue = async () => {
    setBusy(true);
    setError(undefined);
    try {
      onIssued(await override.tried(() => issueCertificate(deviceId, override.given)));
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p>
        Live bundles of the device: {former.length} of {BUNDLES_OF_DEVICE}
      </p>
      <Former certificates={former} />
      {full && (
        <Notice tone="warn" title="There is no room for another bundle.">
          <p>Revoke the one that the device does not use; then a new one can be issued.</p>
        </Notice>
      )}
      <Override {...override} />
      {error !== undefined && <ProblemBox error={error} />}
      <div className="row">
        <Button onClick={issue} loading={busy} disabled={full || override.blocked !== undefined}>
          Issue bundle
        </Button>
        {override.blocked && <span className="soft">{override.blocked}</span>}
      </div>
    </>
  );
}
