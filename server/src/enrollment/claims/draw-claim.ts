import type { EnrollmentDeps } from "../deps.ts";
import { refusal } from "../errors.ts";
import { CLAIM_MINUTES } from "../limits.ts";
import { claimCodeHint, claimCodeHmac, newClaimCode, normalizeClaimCode } from "./claim-code.ts";
import type { NewClaimRow } from "./claim-store.ts";

/** Draws the code of a new claim. The row has its HMAC and hint only. */
export function drawClaim(
  deps: Pick<EnrollmentDeps, "ids" | "claimCodeKeys">,
  actor: string,
  now: Date,
  intended: Omit<NewClaimRow, "id" | "code_hmac" | "code_hint" | "created_at" | "created_by">,
): { claimCode: string; row: NewClaimRow } {
  const claimCode = newClaimCode(deps.ids);
  const characters = normalizeClaimCode(claimCode)!;
  const row = {
    id: deps.ids.uuid(now),
    code_hmac: claimCodeHmac(characters, deps.claimCodeKeys()[0]!),
    code_hint: claimCodeHint(characters),
    created_at: now,
    created_by: actor,
    ...intended,
  };
  return { claimCode, row };
}

/** Returns the lifetime of a claim in minutes. @throws MusterError invalid_request, invalid_claim_request */
export function claimMinutes(wanted: number | undefined): number {
  return limited("expiresInMinutes", wanted, CLAIM_MINUTES, " (24 hours)");
}

/** @throws MusterError invalid_request, invalid_claim_request */
export function limited(
  field: string,
  value: number | undefined,
  limit: { min: number; max: number; default: number },
  remark = "",
): number {
  if (value === undefined) return limit.default;
  if (!Number.isInteger(value)) throw refusal("invalid_request", { message: `${field} must be a whole number.` });
  if (value >= limit.min && value <= limit.max) return value;
  const message = `${field} must be from ${limit.min} to ${limit.max}${remark}.`;
  throw refusal("invalid_claim_request", { message });
}
