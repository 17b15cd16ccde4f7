import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CLAIMS, type Claim, claimCodeQuery, claimQuery, revokeClaim } from "../../api/claims.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { usePathParams } from "../../parts/use-params.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Ago, Time, useNow } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel } from "../../ui/page/page.tsx";
import { isOpen } from "../../words/claims.ts";
import { ClaimCode } from "./claim-code.tsx";
import { ClaimDevices } from "./claim-devices.tsx";
import { ClaimState } from "./claim-state.tsx";
import { Refused } from "./refused.tsx";

/** How often an open claim is read: a device may redeem it at any time. */
const POLL_MS = 2_000;

/** A claim: its code once, its uses, the devices that redeemed it. */
export default function ClaimPage() {
  const { id } = usePathParams<"id">();
  const query = useQuery({
    ...claimQuery(id),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data, Date.now()) ? POLL_MS : false),
  });
  const code = useQuery(claimCodeQuery(id)).data ?? undefined;
  return (
    <Page
      title={query.data?.intendedName ?? "Claim"}
      back={{ href: "/claims", label: "Claims" }}
      actions={query.data && <Revoke claim={query.data} />}
    >
      <Loaded query={query}>
        {(claim) => (
          <>
            {code && claim.status === "pending" ? (
              <ClaimCode code={code} claim={claim}>
                <ClaimFacts claim={claim} />
              </ClaimCode>
            ) : (
              <ClaimFacts claim={claim} />
            )}
            <ClaimDevices deviceIds={claim.deviceIds} />
            <Refused />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function ClaimFacts({ claim }: { claim: Claim }) {
  const types = useQuery(deviceTypesQuery).data?.items;
  const type = types?.find(({ id }) => id === claim.intendedDeviceTypeId);
  return (
    <Panel>
      <Facts
        facts={[
          ["State", <ClaimState key="state" claim={claim} />],
          ["Uses", `${claim.usedCount} of ${claim.maxUses}`],
          ["Code", <span key="code" className="mono">{`CLAIM-…-${claim.codeHint}`}</span>],
          [
            "Type",
            type ? (
              <a key="type" href={`/device-types/${type.id}`}>
                {type.name}
              </a>
            ) : (
              "none"
            ),
          ],
          ["Groups", <GroupNames key="groups" ids={claim.intendedGroupIds} none="none" />],
          ["Expires", <Time key="expires" at={claim.expiresAt} />],
          ["Created", <Time key="created" at={claim.createdAt} />],
          ["Created by", <Actor key="by" of={claim.createdBy} />],
          ["Last redeemed", <Ago key="redeemed" at={claim.lastRedeemedAt} />],
          ...(claim.revokedBy ? ([["Revoked by", <Actor key="revoked" of={claim.revokedBy} />]] as const) : []),
        ]}
      />
    </Panel>
  );
}

function Revoke({ claim }: { claim: Claim }) {
  const [opened, setOpened] = useState(false);
  const may = useMay("revokeClaim");
  const refresh = useRefresh();
  const open = isOpen(claim, useNow());
  if (!may || !open) return null;
  return (
    <>
      <Button color="bad" variant="light" onClick={() => setOpened(true)}>
        Revoke
      </Button>
      <Confirm
        title="Revoke this claim?"
        opened={opened}
        onClose={() => setOpened(false)}
        action="Revoke claim"
        problem={renderProblem}
        onConfirm={async () => {
          await revokeClaim(claim.id);
          toast("The claim is revoked.");
          await refresh(CLAIMS);
        }}
      >
        <p>
          The code <span className="mono">CLAIM-…-{claim.codeHint}</span> is refused from then on. Devices that have
          redeemed it keep their certificates.
        </p>
      </Confirm>
    </>
  );
}
