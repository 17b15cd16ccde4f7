import { SegmentedControl } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { countdown } from "../../ui/display/format.ts";
import { Status } from "../../ui/display/status.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { CopyBlock } from "../../ui/input/copy.tsx";
import { LocalOnly } from "./local-only.tsx";
import { agentCommands, folderOf, shellCommands } from "./self-enroll.ts";
import { useBroker } from "./use-broker.ts";

interface CommandsProps {
  claim: Schemas["CreatedClaim"];
  redeemed: boolean;
  /** Below the commands. */
  children?: ReactNode;
}

const WAYS = {
  shell: ["Shell", shellCommands],
  agent: ["Muster agent", agentCommands],
} as const;

const REQUIRES = { shell: "With openssl, curl and mosquitto_pub", agent: "With Node 24 and the agent's package" };

/** The commands that redeem the claim, with its real code, while it lasts. */
export function EnrollmentCommands({ claim, redeemed, children }: CommandsProps) {
  const left = Date.parse(claim.expiresAt) - useNow();
  return (
    <>
      <CodeCommands claimCode={claim.claimCode} name={claim.intendedName}>
        {redeemed ? (
          <Status tone="good">Claim redeemed</Status>
        ) : (
          <Status tone={left > 0 ? "accent" : "bad"}>
            {left > 0 ? `The claim code is valid for ${countdown(left)}` : "The claim code has expired"}
          </Status>
        )}
      </CodeCommands>
      {children}
    </>
  );
}

interface CodeCommandsProps {
  claimCode: string;
  /** What the device is called, where that is known: its folder has the name. */
  name?: string;
  /** Beside the choice of the way. */
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
          aria-label="Way to enroll"
          value={way}
          onChange={(value) => setWay(value as keyof typeof WAYS)}
          data={Object.entries(WAYS).map(([value, [label]]) => ({ value, label }))}
        />
        {children}
      </div>
      <CopyBlock label={REQUIRES[way]}>{commands(settings)}</CopyBlock>
      <LocalOnly>The commands work</LocalOnly>
    </>
  );
}
