import { isMusterError } from "../lib/errors.ts";
import { type CsrResult, readCsr } from "../pki/pki.ts";

/**
 * Reads a CSR and returns its error instead of throwing it. The statement that reads what decides the request needs the CSR's key,
 * but by the order of answers other errors come first.
 */
export function readCsrOrError(pem: string): CsrResult | Error {
  try {
    return readCsr(pem);
  } catch (error) {
    if (isMusterError(error, "invalid_csr")) return error;
    throw error;
  }
}
