import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CLAIMS, type Claim, claimCodeQuery, claimQuery, revokeClaim } from "../../api/claims.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import type { BulkOutcome } from "../../parts/bulk/run-in-parts.ts";
import { ConfirmEnd, Outcome } from "../../parts/bulk/use-bulk.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { RecordPage } from "../../parts/record-page.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Action, Ago, Facts, QrCode, Secret, Section, Time, useNow } from "../../ui/ui.ts";
import { isOpen } from "../../words/claims.ts";
import { ConnectionWatch } from "../connect/connection-watch.tsx";
import { EnrollmentCommands } from "../connect/enrollment-commands.tsx";
import { useBroker } from "../connect/use-broker.ts";
import { useConnection } from "../connect/use-connection.ts";
import { ClaimState } from "./claim-state.tsx";
import "./claim-code.css";

/** A device may redeem an open claim at any time. */
const POLL_MS = 2_000;

/** A claim: its code once, its uses, the devices that redeemed it. */
export default function ClaimPage() {
  const { id } = usePathParams<"id">();
  const query = useQuery({
    ...claimQuery(id),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data, Date.now()) ? POLL_MS : false),
  });
  const code = useQuery(claimCodeQuery(id)).data;
  return (
    <RecordPage
      query={query}
      back={{ href: "/claims", label: "Claims" }}
      kind="Claim"
      title={({ intendedName }) => intendedName}
      actions={(claim) => <Revoke claim={claim} />}
    >
      {(claim) => (
        <>
          {code && claim.status === "pending" ? <Code code={code} claim={claim} /> : <ClaimFacts claim={claim} />}
          <Devices deviceIds={claim.deviceIds} />
          <Refused />
        </>
      )}
    </RecordPage>
  );
}

/** The code, shown once: as text, as a QR code for a phone beside the device, and in commands. */
function Code({ code, claim }: { code: string; claim: Claim }) {
  const { baseUrl } = useBroker();
  return (
    <>
      <div className="claim-code">
        <div className="stack">
          <Secret label="Claim code" value={code} />
          <ClaimFacts claim={claim} />
        </div>
        {baseUrl && (
          <figure>
            <QrCode label={`QR code of the claim code ${code}`} text={`${baseUrl}/enroll#${code}`} />
            <figcaption className="soft">
              Opens the commands on a phone. The code is in the part of the address that no browser sends.
            </figcaption>
          </figure>
        )}
      </div>
      <Section title="Run this on the device">
        <EnrollmentCommands claim={{ ...claim, claimCode: code }} redeemed={claim.usedCount >= claim.maxUses} />
      </Section>
    </>
  );
}

function ClaimFacts({ claim }: { claim: Claim }) {
  const type = useQuery(deviceTypesQuery).data?.items.find(({ id }) => id === claim.intendedDeviceTypeId);
  const facts = {
    State: <ClaimState claim={claim} />,
    Uses: `${claim.usedCount} of ${claim.maxUses}`,
    Code: <span className="mono">{`CLAIM-…-${claim.codeHint}`}</span>,
    Type: type ? <a href={`/device-types/${type.id}`}>{type.name}</a> : "none",
    Groups: <GroupNames ids={claim.intendedGroupIds} none="none" />,
    Expires: <Time at={claim.expiresAt} />,
    Created: <Time at={claim.createdAt} />,
    "Created by": <Actor of={claim.createdBy} />,
    "Last redeemed": <Ago at={claim.lastRedeemedAt} />,
    ...(claim.revokedBy && { "Revoked by": <Actor of={claim.revokedBy} /> }),
  };
  return <Facts framed facts={facts} />;
}

function Revoke({ claim }: { claim: Claim }) {
  const may = useMay("revokeClaim");
  const open = isOpen(claim, useNow());
  if (!may || !open) return null;
  return (
    <Asks
      danger
      label="Revoke"
      title="Revoke this claim?"
      action="Revoke claim"
      run={() => revokeClaim(claim.id)}
      done="The claim is revoked."
      refreshes={[CLAIMS]}
    >
      <p>
        The code <span className="mono">CLAIM-…-{claim.codeHint}</span> is refused from then on. Devices that have
        redeemed it keep their certificates.
      </p>
    </Asks>
  );
}

function Devices({ deviceIds }: { deviceIds: readonly string[] }) {
  return (
    <Section title="Devices" actions={<RevokeBatch deviceIds={deviceIds} />}>
      {deviceIds.length === 0 && <p className="soft">No device has redeemed it.</p>}
      {deviceIds.length > 0 && (
        <ul className="claim-devices">
          {deviceIds.map((id) => (
            <li key={id}>
              <a className="mono" href={`/devices/${encodeURIComponent(id)}`}>
                {id}
              </a>
            </li>
          ))}
        </ul>
      )}
      {deviceIds.length === 1 && <Watched deviceId={deviceIds[0]!} />}
    </Section>
  );
}

/** Shows whether the device of a claim for one device connects. */
function Watched({ deviceId }: { deviceId: string }) {
  const connection = useConnection(deviceId);
  return connection.device ? <ConnectionWatch deviceId={deviceId} connection={connection} /> : null;
}

/** Revokes the certificates of every device that redeemed a claim, for a code that has leaked. */
function RevokeBatch({ deviceIds }: { deviceIds: readonly string[] }) {
  const [open, setOpen] = useState(false);
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const may = useMay("revokeCertificatesOfDevice");
  if (!may || deviceIds.length === 0) return null;
  const done = (answer: BulkOutcome) => {
    setOpen(false);
    setOutcome(answer);
  };
  const act = open ? "revoke_certificates" : undefined;
  return (
    <>
      <Action label="Revoke the certificates of all" onClick={() => setOpen(true)} />
      <ConfirmEnd act={act} ids={deviceIds} onClose={() => setOpen(false)} onDone={done} />
      <Outcome outcome={outcome} left="which may be repeated" onClose={() => setOutcome(undefined)} />
    </>
  );
}

const REFUSALS: Readonly<Record<string, string>> = {
  claim_expired: "The code was redeemed too late. Create another claim.",
  claim_exhausted: "Every use is spent: the devices above have it. Create another claim.",
  claim_revoked: "An administrator or a program revoked it. Create another claim if that was a mistake.",
  invalid_claim_code: "The code was mistyped, or is of another service. It has three groups of four characters.",
  reenrollment_proof_required:
    "A device with this hardware fingerprint has enrolled before. It must present its valid certificate; if that is lost, delete the device and let it enroll again.",
  rate_limited: "Too many unknown codes came from the address of the device. Wait ten minutes.",
};

/** The refusals that a device may get, each with its cure. */
function Refused() {
  return (
    <details>
      <summary>When the device is refused</summary>
      <dl>
        {Object.entries(REFUSALS).map(([code, cure]) => (
          <div key={code}>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>{cure}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
