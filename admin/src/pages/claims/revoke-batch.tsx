import { Button } from "@mantine/core";
import { useState } from "react";
import { ConfirmEnd } from "../../parts/bulk/confirm-end.tsx";
import { Outcome } from "../../parts/bulk/outcome.tsx";
import type { BulkOutcome } from "../../parts/bulk/run-in-parts.ts";
import { useMay } from "../../parts/session.ts";

/** Revokes the certificates of every device that redeemed a claim: what to do when its code has leaked. */
export function RevokeBatch({ deviceIds }: { deviceIds: readonly string[] }) {
  const [open, setOpen] = useState(false);
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const may = useMay("revokeCertificatesOfDevice");
  if (!may || deviceIds.length === 0) return null;
  const done = (answer: BulkOutcome) => {
    setOpen(false);
    setOutcome(answer);
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Revoke the certificates of all
      </Button>
      <ConfirmEnd
        act={open ? "revoke_certificates" : undefined}
        ids={deviceIds}
        onClose={() => setOpen(false)}
        onDone={done}
      />
      <Outcome outcome={outcome} left="which may be repeated" onClose={() => setOutcome(undefined)} />
    </>
  );
}
