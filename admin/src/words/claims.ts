import { common } from "#texts/common.ts";
import { t } from "#texts/words.ts";
import type { Tone } from "../ui/theme/tones.ts";

interface Claim {
  status: "pending" | "used" | "revoked";
  expiresAt: string;
}

/** Whether a claim code can be redeemed now. */
export function isOpen({ status, expiresAt }: Claim, now: number): boolean {
  return status === "pending" && Date.parse(expiresAt) > now;
}

export function stateOfClaim(claim: Claim, now: number): readonly [tone: Tone, label: string] {
  if (claim.status === "revoked") return ["bad", common.revoked];
  if (claim.status === "used") return ["good", t.used];
  return isOpen(claim, now) ? ["accent", t.open] : ["neutral", t.expired];
}
