import { MusterError } from "../lib/errors.ts";

export type CertificatesErrorCode = "certificate_not_found";

/**
 * Returns the error for an id that no certificate of the tenant has; it is the same for another tenant's certificate.
 */
export function certificateNotFound(): MusterError<"certificate_not_found"> {
  return new MusterError("certificate_not_found", "There is no such certificate.");
}
