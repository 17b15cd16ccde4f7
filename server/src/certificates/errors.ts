import { MusterError } from "../lib/errors.ts";

export type CertificatesErrorCode = "certificate_not_found";

/** The tenant has no certificate of this id; another tenant's is answered alike. */
export function certificateNotFound(): MusterError<"certificate_not_found"> {
  return new MusterError("certificate_not_found", "There is no such certificate.");
}
