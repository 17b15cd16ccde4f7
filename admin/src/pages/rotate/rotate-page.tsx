import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Bundle, CERTIFICATES, type Certificate, certificatesQuery } from "../../api/certificates.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useUrlState } from "../../parts/url-state.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Page } from "../../ui/page/page.tsx";
import { type Step, Steps } from "../../ui/page/steps.tsx";
import { InstallStep } from "./install-step.tsx";
import { IssueStep } from "./issue-step.tsx";
import { RevokeStep } from "./revoke-step.tsx";
import { SeenStep } from "./seen-step.tsx";
import { stagesOf } from "./stages.ts";

/** How often the certificates are read while the new one is awaited. */
const POLL_MS = 2_000;

/** Replaces the bundle of a device without a gap: issue, install, see it connect, revoke the former one. */
export default function RotatePage() {
  const { id } = usePathParams<"id">();
  const [{ certificate: newId, installed }, setUrl] = useUrlState();
  const [bundle, setBundle] = useState<Bundle>();
  const refresh = useRefresh();
  const query = useQuery({
    ...certificatesQuery({ deviceId: id, kind: "platform", limit: 50 }),
    refetchInterval: newId === undefined ? false : POLL_MS,
  });
  return (
    <Page
      title={`Rotate the certificate of ${id}`}
      back={{ href: `/devices/${encodeURIComponent(id)}`, label: id }}
      lead="The device stays connected with the former bundle until the new one is in use."
      narrow
    >
      <Loaded query={query}>
        {({ items }) => (
          <Steps
            steps={stepsOf({
              deviceId: id,
              items,
              newId,
              installed: installed === "yes",
              bundle,
              onIssued: (issued) => {
                setBundle(issued);
                setUrl({ certificate: issued.id, installed: undefined });
                void refresh(CERTIFICATES);
              },
              onInstalled: () => setUrl({ installed: "yes" }),
            })}
          />
        )}
      </Loaded>
    </Page>
  );
}

interface Rotation {
  deviceId: string;
  items: readonly Certificate[];
  newId: string | undefined;
  installed: boolean;
  bundle: Bundle | undefined;
  onIssued: (bundle: Bundle) => void;
  onInstalled: () => void;
}

function stepsOf(rotation: Rotation): Step[] {
  const { deviceId, items, newId, installed, bundle, onIssued, onInstalled } = rotation;
  const { states, made, former } = stagesOf({ items, newId, installed });
  return [
    {
      title: "Issue a new bundle",
      state: states.issue,
      children: <IssueStep deviceId={deviceId} former={former} onIssued={onIssued} />,
    },
    {
      title: "Install it on the device",
      state: states.install,
      children: <InstallStep bundle={bundle} deviceId={deviceId} onInstalled={onInstalled} />,
    },
    {
      title: "See it connect",
      state: states.seen,
      children: made && <SeenStep certificate={made} />,
    },
    {
      title: "Revoke the former bundle",
      state: states.revoke,
      open: states.revoke === "done",
      children: <RevokeStep former={former} />,
    },
  ];
}
