import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { t } from "#texts/pages/connect.ts";
import type { Schemas } from "../../api/client.ts";
import { settingsQuery } from "../../api/settings.ts";
import { CopyBlock, countdown, Status, useNow } from "../../ui/ui.ts";
import { agentCommands, folderOf, shellCommands } from "./self-enroll.ts";
import { useBroker } from "./use-broker.ts";

interface CommandsProps {
  claim: Schemas["CreatedClaim"];
  redeemed: boolean;
  children?: ReactNode;
}

const WAYS = { shell: [t.shell, shellCommands], agent: [t.musterAgent, agentCommands] } as const;

const REQUIRES = { shell: t.withOpensslCurlAndMosquitto, agent: t.withNode24AndThe };

/** The commands that redeem the claim, with its real code, while it is valid. */
export function EnrollmentCommands({ claim, redeemed, children }: CommandsProps) {
  const left = Date.parse(claim.expiresAt) - useNow();
  return (
    <>
      <CodeCommands claimCode={claim.claimCode} name={claim.intendedName}>
        {redeemed ? (
          <Status of={["good", t.claimRedeemed]} />
        ) : (
          <Status
            of={[
              left > 0 ? "accent" : "bad",
              left > 0 ? t.theClaimCodeIsValid(countdown(left)) : t.theClaimCodeHasExpired,
            ]}
          />
        )}
      </CodeCommands>
      {children}
    </>
  );
}

interface CodeCommandsProps {
  claimCode: string;
  /** The name of the device, if known, for its folder. */
  name?: string;
  /** Shown beside the choice of the tool. */
  children?: ReactNode;
}

/** The commands that redeem a claim code. */
export function CodeCommands({ claimCode, name, children }: CodeCommandsProps) {
  const [way, setWay] = useState<keyof typeof WAYS>("shell");
  const { baseUrl, broker, caPem } = useBroker();
  if (!broker || !baseUrl) return null;
  const [, commands] = WAYS[way];
  const settings = { baseUrl, claimCode, broker, caPem, folder: folderOf(name, claimCode) };
  return (
    <>
      <div className="row">
        <SegmentedControl
          aria-label={t.wayToEnroll}
          value={way}
          onChange={(value) => setWay(value as keyof typeof WAYS)}
          data={Object.entries(WAYS).map(([value, [label]]) => ({ value, label }))}
        />
        {children}
      </div>
      <CopyBlock label={REQUIRES[way]}>{commands(settings)}</CopyBlock>
      <LocalOnly>{t.theCommandsWork}</LocalOnly>
    </>
  );
}

const LOCAL = /^(localhost|127\..*|\[::1\])$/;

/** Warns that the commands work only on this machine while the service has no name that others can resolve. */
function LocalOnly({ children }: { children: string }) {
  const baseUrl = useQuery(settingsQuery).data?.baseUrl;
  if (!baseUrl || !LOCAL.test(new URL(baseUrl).hostname)) return null;
  return (
    <p className="soft">
      {t.onTheMachineOfThe(
        children,
        <span className="mono">localhost</span>,
        <span className="mono">{t.musterPublicHostItsName}</span>,
      )}
    </p>
  );
}
