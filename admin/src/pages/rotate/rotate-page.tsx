import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/certificates.ts";
import {
  BUNDLES_OF_DEVICE,
  type Bundle,
  CERTIFICATES,
  type Certificate,
  certificateQuery,
  certificatesQuery,
  issueCertificate,
} from "../../api/certificates.ts";
import { useAct } from "../../parts/act/use-act.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useUrlState } from "../../parts/url-state.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Action, Ago, Notice, Page, Steps } from "../../ui/ui.ts";
import { BundleOnce } from "../certificates/bundle-once.tsx";
import { CertificateState } from "../certificates/certificate-state.tsx";
import { Override, useOverride } from "../certificates/issue-dialog.tsx";
import { RevokeDialog } from "../certificates/revoke-dialog.tsx";
import { stagesOf } from "./stages.ts";
import "./former.css";

/** The certificates are polled while the new one is awaited. */
const POLL_MS = 2_000;

/** Replaces the bundle of a device without a gap: issue, install, see it connect, revoke the former one. */
export default function RotatePage() {
  const { id } = usePathParams<"id">();
  const [{ certificate: newId }] = useUrlState();
  const query = useQuery({
    ...certificatesQuery({ deviceId: id, kind: "platform", limit: 50 }),
    refetchInterval: newId === undefined ? false : POLL_MS,
  });
  return (
    <Page
      title={t.rotateTheCertificateOf(id)}
      back={{ href: `/devices/${encodeURIComponent(id)}`, label: id }}
      lead={t.theDeviceStaysConnectedWith}
      narrow
    >
      <Loaded query={query}>{({ items }) => <Rotation deviceId={id} items={items} />}</Loaded>
    </Page>
  );
}

function Rotation({ deviceId, items }: { deviceId: string; items: readonly Certificate[] }) {
  const [{ certificate: newId, installed }, setUrl] = useUrlState();
  const [bundle, setBundle] = useState<Bundle>();
  const refresh = useRefresh();
  const { states, made, former } = stagesOf({ items, newId, installed: installed === "yes" });
  const issued = (made: Bundle) => {
    setBundle(made);
    setUrl({ certificate: made.id, installed: undefined });
    void refresh(CERTIFICATES);
  };
  const install = () => setUrl({ installed: "yes" });
  return (
    <Steps
      steps={[
        {
          title: t.issueANewBundle,
          state: states.issue,
          children: <IssueStep deviceId={deviceId} former={former} onIssued={issued} />,
        },
        {
          title: t.installItOnTheDevice,
          state: states.install,
          children: <InstallStep bundle={bundle} deviceId={deviceId} onInstalled={install} />,
        },
        { title: t.seeItConnect, state: states.seen, children: made && <SeenStep certificate={made} /> },
        {
          title: t.revokeTheFormerBundle,
          state: states.revoke,
          open: states.revoke === "done",
          children: <RevokeStep former={former} />,
        },
      ]}
    />
  );
}

interface IssueStepProps {
  deviceId: string;
  former: readonly Certificate[];
  onIssued: (bundle: Bundle) => void;
}

function IssueStep({ deviceId, former, onIssued }: IssueStepProps) {
  const { act, busy, problem } = useAct();
  const override = useOverride();
  const full = former.length >= BUNDLES_OF_DEVICE;
  const issue = () => act(async () => onIssued(await override.tried(() => issueCertificate(deviceId, override.given))));
  const disabled = full || override.blocked !== undefined;
  return (
    <>
      <p>{t.liveBundlesOfTheDevice(former.length, BUNDLES_OF_DEVICE)}</p>
      <Former certificates={former} />
      {full && (
        <Notice tone="warn" title={t.thereIsNoRoomFor}>
          <p>{t.revokeTheOneThatThe}</p>
        </Notice>
      )}
      <Override {...override} />
      {problem}
      <div className="row">
        <Action main label={t.issueBundle} onClick={() => void issue()} loading={busy} disabled={disabled} />
        {override.blocked && <span className="soft">{override.blocked}</span>}
      </div>
    </>
  );
}

interface InstallStepProps {
  /** Absent after a reload: the bundle is shown only once. */
  bundle: Bundle | undefined;
  deviceId: string;
  onInstalled: () => void;
}

/** Shows the new bundle, to be saved and installed on the device. */
function InstallStep({ bundle, deviceId, onInstalled }: InstallStepProps) {
  return (
    <>
      {bundle ? (
        <BundleOnce bundle={bundle} />
      ) : (
        <Notice tone="warn" title={t.theBundleWasShownOnce}>
          <p>
            {t.ifYouHaveNotSaved}
            <a href={`/devices/${encodeURIComponent(deviceId)}/rotate`}>{t.beginAgain}</a>.
          </p>
        </Notice>
      )}
      <p>{t.replaceKeyCertificateAndChain}</p>
      <div className="row">
        <Action main label={t.iHaveInstalledIt} onClick={onInstalled} />
      </div>
    </>
  );
}

function SeenStep({ certificate }: { certificate: Certificate }) {
  return (
    <Notice tone="accent" title={t.waitingForTheDeviceTo} live>
      <p>{t.serialNumberThisPageFollows(<span className="mono">{certificate.serialNumber}</span>)}</p>
      <p>
        {t.ifItDoesNotCome}
        <a href={`/refusals?deviceId=${encodeURIComponent(certificate.deviceId)}`}>{t.whyItCannotConnect}</a>.
      </p>
    </Notice>
  );
}

/** Shows the former bundles that are left to revoke once the new certificate is in use. */
function RevokeStep({ former }: { former: readonly Certificate[] }) {
  return former.length === 0 ? (
    <Notice tone="good" title={t.theRotationIsComplete}>
      <p>{t.theDeviceUsesTheNew}</p>
    </Notice>
  ) : (
    <>
      <p>{t.theDeviceHasConnectedWith}</p>
      <Former certificates={former} />
    </>
  );
}

/** The bundles that a rotation replaces, each with a way to revoke it. */
function Former({ certificates }: { certificates: readonly Certificate[] }) {
  return (
    <ul className="former list stack-tight">
      {certificates.map((certificate) => (
        <li key={certificate.id} className="row">
          <a className="mono" href={`/certificates/${certificate.id}`}>
            …{certificate.serialNumber.slice(-10)}
          </a>
          <CertificateState certificate={certificate} />
          <span className="soft">{t.lastConnected2(<Ago at={certificate.lastConnectedAt} />)}</span>
          <Revoke id={certificate.id} />
        </li>
      ))}
    </ul>
  );
}

function Revoke({ id }: { id: string }) {
  const [opened, setOpened] = useState(false);
  const { data } = useQuery(certificateQuery(id));
  return (
    <>
      <Action small label={common.revoke} onClick={() => setOpened(true)} disabled={!data} />
      {data && <RevokeDialog certificate={data} opened={opened} onClose={() => setOpened(false)} />}
    </>
  );
}
