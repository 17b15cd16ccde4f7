import { SegmentedControl } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { countdown } from "../../ui/display/format.ts";
import { Status } from "../../ui/display/status.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { Command } from "../../ui/input/copy.tsx";
import { agentCommands, shellCommands } from "./self-enroll.ts";
import { useBroker } from "./use-broker.ts";

interface CommandsProps {
  claim: Schemas["CreatedClaim"];
  redeemed: boolean;
}

const WAYS = {
  shell: ["Shell", shellCommands],
  agent: ["Muster agent", agentCommands],
} as const;

const REQUIRES = { shell: "With openssl, curl and mosquitto_pub", agent: "With Node 24 and the agent's package" };

/** The commands that redeem the claim, with its real code, while it lasts. */
export function EnrollmentCommands({ claim, redeemed }: CommandsProps) {
  const left = Date.parse(claim.expiresAt) - useNow();
  return (
    <CodeCommands claimCode={claim.claimCode}>
      {redeemed ? (
        <Status tone="good">Claim redeemed</Status>
      ) : (
        <Status tone={left > 0 ? "accent" : "bad"}>
          {left > 0 ? `The claim code is valid for ${countdown(left)}` : "The claim code has expired"}
        </Status>
      )}
    </CodeCommands>
  );
}

/** The commands that redeem a claim code; `children` is beside the choice of the way. */
export function CodeCommands({ claimCode, children }: { claimCode: string; children?: ReactNode }) {
  const [way, setWay] = useState<keyof typeof WAYS>("shell");
  const { baseUrl, broker, caPem } = useBroker();
  if (!broker || !baseUrl) return null;
  const [, commands] = WAYS[way];
  const settings = { baseUrl, claimCode, broker, caPem };
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
      <Command label={REQUIRES[way]}>{commands(settings)}</Command>
    </>
  );
}
