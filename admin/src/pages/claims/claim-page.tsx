import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/claims.ts";
import { t as fleet } from "#texts/pages/fleet.ts";
import { CLAIMS, type Claim, claimCodeQuery, claimQuery, revokeClaim } from "../../api/claims.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import type { BulkOutcome } from "../../parts/bulk/run-in-parts.ts";
import { ConfirmEnd, Outcome } from "../../parts/bulk/use-bulk.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
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
      back={{ href: "/claims", label: t.claims }}
      kind={t.claim}
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
          <Secret label={t.claimCode} value={code} />
          <ClaimFacts claim={claim} />
        </div>
        {baseUrl && (
          <figure>
            <QrCode label={t.qrCodeOfTheClaim(code)} text={`${baseUrl}/enroll#${code}`} />
            <figcaption className="soft">{t.opensTheCommandsOnA}</figcaption>
          </figure>
        )}
      </div>
      <Section title={t.runThisOnTheDevice}>
        <EnrollmentCommands claim={{ ...claim, claimCode: code }} redeemed={claim.usedCount >= claim.maxUses} />
      </Section>
    </>
  );
}

function ClaimFacts({ claim }: { claim: Claim }) {
  const type = useQuery(deviceTypesQuery).data?.items.find(({ id }) => id === claim.intendedDeviceTypeId);
  const facts = {
    [common.state]: <ClaimState claim={claim} />,
    ...(claim.reenrollsDeviceId && { [fleet.reenrolls]: <DeviceLink id={claim.reenrollsDeviceId} /> }),
    [t.uses]: t.of(claim.usedCount, claim.maxUses),
    [common.code]: <span className="mono">{`CLAIM-…-${claim.codeHint}`}</span>,
    [common.type]: type ? <a href={`/device-types/${type.id}`}>{type.name}</a> : common.none,
    [common.groups]: <GroupNames ids={claim.intendedGroupIds} none={common.none} />,
    [common.expires]: <Time at={claim.expiresAt} />,
    [common.created]: <Time at={claim.createdAt} />,
    [t.createdBy]: <Actor of={claim.createdBy} />,
    [t.lastRedeemed]: <Ago at={claim.lastRedeemedAt} />,
    ...(claim.revokedBy && { [t.revokedBy]: <Actor of={claim.revokedBy} /> }),
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
      label={common.revoke}
      title={t.revokeThisClaim}
      action={t.revokeClaim}
      run={() => revokeClaim(claim.id)}
      done={t.theClaimIsRevoked}
      refreshes={[CLAIMS]}
    >
      <p>{t.theCodeIsRefusedFrom(<span className="mono">{t.claim2(claim.codeHint)}</span>)}</p>
    </Asks>
  );
}

function Devices({ deviceIds }: { deviceIds: readonly string[] }) {
  return (
    <Section title={common.devices} actions={<RevokeBatch deviceIds={deviceIds} />}>
      {deviceIds.length === 0 && <p className="soft">{t.noDeviceHasRedeemedIt}</p>}
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
      <Action label={t.revokeTheCertificatesOfAll} onClick={() => setOpen(true)} />
      <ConfirmEnd act={act} ids={deviceIds} onClose={() => setOpen(false)} onDone={done} />
      <Outcome outcome={outcome} left={t.whichMayBeRepeated} onClose={() => setOutcome(undefined)} />
    </>
  );
}

const REFUSALS: Readonly<Record<string, string>> = {
  claim_expired: t.theCodeWasRedeemedToo,
  claim_exhausted: t.everyUseIsSpentThe,
  claim_revoked: t.anAdministratorOrAProgram,
  invalid_claim_code: t.theCodeWasMistypedOr,
  reenrollment_proof_required: t.aDeviceWithThisHardware,
  rate_limited: t.tooManyUnknownCodesCame,
};

/** The refusals that a device may get, each with its cure. */
function Refused() {
  return (
    <details>
      <summary>{t.whenTheDeviceIsRefused}</summary>
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
