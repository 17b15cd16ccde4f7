import { MusterError } from "../lib/errors.ts";

/**
 * What the certificate authority refuses with. `invalid_csr` is the device's fault (400), `issuance_failed` ours or the
 * signer's (502), `invalid_certificate` means bytes that are no X.509 certificate, `wrong_master_key` that the stored
 * keys belong to another master key.
 */
export type PkiErrorCode = "invalid_csr" | "issuance_failed" | "invalid_certificate" | "wrong_master_key";

/** A CSR that breaks a rule; `rule` is a sentence that never repeats the input. */
export function invalidCsr(rule: string, cause?: unknown): MusterError<"invalid_csr"> {
  return new MusterError("invalid_csr", rule, { cause });
}

/** The authority could not sign; `why` is public, `cause` is for the log. */
export function issuanceFailed(why: string, cause?: unknown): MusterError<"issuance_failed"> {
  return new MusterError("issuance_failed", why, { cause });
}
