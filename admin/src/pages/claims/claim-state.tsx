import type { Claim } from "../../api/claims.ts";
import { countdown } from "../../ui/display/format.ts";
import { Status } from "../../ui/display/status.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { isOpen, stateOfClaim } from "../../words/claims.ts";

/** What can be done with a claim now; an open one counts down. */
export function ClaimState({ claim, plain }: { claim: Claim; plain?: boolean }) {
  const now = useNow();
  const [tone, label] = stateOfClaim(claim, now);
  const left = isOpen(claim, now) ? `, ${countdown(Date.parse(claim.expiresAt) - now)} left` : "";
  return (
    <Status tone={tone} plain={plain ?? false}>
      {label}
      {left}
    </Status>
  );
}
