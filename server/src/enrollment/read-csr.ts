import { isMusterError } from "../lib/errors.ts";
import { type CsrResult, readCsr } from "../pki/pki.ts";

/**
 * Reads a CSR and returns its error instead of throwing it. The query for the facts needs the CSR's key, but other
 * errors come first in the order of checks.
 */
export function readCsrOrError(pem: string): CsrResult | Error {
  try {
    return readCsr(pem);
  } catch (error) {
    if (isMusterError(error, "invalid_csr")) return error;
    throw error;
  }
}
