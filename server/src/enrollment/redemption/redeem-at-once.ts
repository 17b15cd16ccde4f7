import { claimCodeHmac } from "../claims/claim-code.ts";
import { deadline } from "../deadline-store.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { type Attempt, enrollNew, type NewDevice, type RedemptionAnswer } from "./enroll-new.ts";

/**
 * Makes the first redemption of a device in one round trip, for a claim that this process knows: the leaf is signed
 * immediately, and the recording statement checks everything again. Returns `undefined` if nothing was recorded: the
 * caller then reads the facts, which decide.
 */
export async function redeemAtOnce(
  deps: EnrollmentDeps,
  attempt: Attempt,
  device: NewDevice,
): Promise<RedemptionAnswer | undefined> {
  const { csr, from, code, now } = attempt;
  // A device that presents a certificate has enrolled before.
  if (csr instanceof Error || from.peer !== undefined) return undefined;
  const codeHmac = claimCodeHmac(code, deps.claimCodeKeys()[0]!);
  const claim = deps.knownClaims.find(codeHmac, now);
  if (claim === undefined || !(await deps.quotas.hasAllowance(claim.tenantId, "devices"))) return undefined;
  // If signing fails, the caller reads the facts: an earlier refusal wins, otherwise the signing error is thrown.
  const signed = await device.sign(csr.spki).catch(() => undefined);
  if (signed === undefined) return undefined;
  const answer = await enrollNew(deps, attempt, csr, { ...claim, codeHmac, until: deadline(deps) }, device, signed);
  if (typeof answer !== "string") return answer;
  deps.knownClaims.forget(claim.id);
  return undefined;
}
