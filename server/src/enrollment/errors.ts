import { MusterError } from "../lib/errors.ts";

/** The error codes of enrollment (spec 7). */
export type EnrollmentErrorCode =
  | "invalid_request"
  | "invalid_claim_request"
  | "invalid_claim_code"
  | "rate_limited"
  | "claim_revoked"
  | "claim_expired"
  | "claim_exhausted"
  | "invalid_csr"
  | "reenrollment_proof_required"
  | "client_id_in_use"
  | "issuance_failed"
  | "cert_invalid"
  | "device_not_found"
  | "device_cert_cap_reached"
  | "device_self_enrolled";

const MESSAGES: Record<EnrollmentErrorCode, string> = {
  invalid_request: "The request is not valid.",
  invalid_claim_request: "The claim cannot be made like this.",
  invalid_claim_code: "This claim code is not known.",
  rate_limited: "Too many unknown claim codes from this address.",
  claim_revoked: "This claim was revoked.",
  claim_expired: "This claim has expired.",
  claim_exhausted: "Every use of this claim is spent.",
  invalid_csr: "This key may not be used.",
  reenrollment_proof_required:
    "A device with this hardware fingerprint has enrolled before: present its valid certificate over mTLS, or have an administrator delete the device.",
  client_id_in_use: "This device id is in use as a client id elsewhere on the broker; nothing was issued.",
  issuance_failed: "The certificate could not be issued; retry shortly.",
  cert_invalid: "Renewal needs the device's current, valid certificate over mTLS.",
  device_not_found: "There is no such device.",
  device_cert_cap_reached: "The device holds as many live platform-generated certificates as it may.",
  device_self_enrolled:
    "The device holds an active self-enrolled certificate; send acknowledgeSelfEnrollmentOverride: true to issue all the same.",
};

/** Returns an error with the default message of its code, or a more specific one. */
export function refusal(
  code: EnrollmentErrorCode,
  more: { message?: string; detail?: string; extra?: Record<string, unknown>; cause?: unknown } = {},
): MusterError<EnrollmentErrorCode> {
  const { message = MESSAGES[code], ...rest } = more;
  return new MusterError(code, message, rest);
}

/** Returns the error for an id that no device type of the tenant has, or has any longer. */
export function unknownDeviceType(id: string): MusterError<EnrollmentErrorCode> {
  return refusal("invalid_request", { message: "There is no such device type.", detail: id });
}

/** Returns the error for a CSR whose key was blocked after a compromise. */
export function keyBlocked(): MusterError<EnrollmentErrorCode> {
  return refusal("invalid_csr", { message: "This key was blocked; make a new one." });
}

/** Returns the error for a claim that re-enrolls a device other than the one that redeems it. */
export function claimOfOtherDevice(): MusterError<EnrollmentErrorCode> {
  return refusal("invalid_claim_request", { message: "This claim re-enrolls another device." });
}
