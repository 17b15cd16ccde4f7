import { t } from "#texts/pages/claims.ts";
import type { Claim } from "../../api/claims.ts";
import { countdown, Status, useNow } from "../../ui/ui.ts";
import { isOpen, stateOfClaim } from "../../words/claims.ts";

/** The state of a claim; an open one counts down. */
export function ClaimState({ claim, plain }: { claim: Claim; plain?: boolean }) {
  const now = useNow();
  const [tone, label] = stateOfClaim(claim, now);
  const left = isOpen(claim, now) ? t.left(countdown(Date.parse(claim.expiresAt) - now)) : "";
  return <Status of={[tone, `${label}${left}`]} plain={plain ?? false} />;
}
