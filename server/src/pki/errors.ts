import { MusterError } from "../lib/errors.ts";

/**
 * The error codes of the certificate authority.
 * - `invalid_csr`: the device's request is wrong (400).
 * - `issuance_failed`: the server or the signer failed (502).
 * - `invalid_certificate`: the bytes are not an X.509 certificate.
 * - `wrong_master_key`: the stored keys are encrypted with another master key.
 * - `sealed_value_changed`: a stored key or secret differs from what the master key sealed for its record.
 */
export type PkiErrorCode =
  | "invalid_csr"
  | "issuance_failed"
  | "invalid_certificate"
  | "wrong_master_key"
  | "sealed_value_changed";

/** Returns the error for a CSR that breaks a rule. `rule` is a sentence that does not repeat any of the input. */
export function invalidCsr(rule: string, cause?: unknown): MusterError<"invalid_csr"> {
  return new MusterError("invalid_csr", rule, { cause });
}

/** Returns the error for a failed signature. The caller sees `why`; `cause` is for the log. */
export function issuanceFailed(why: string, cause?: unknown): MusterError<"issuance_failed"> {
  return new MusterError("issuance_failed", why, { cause });
}
