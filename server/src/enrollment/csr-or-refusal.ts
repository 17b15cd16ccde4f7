import { isMusterError } from "../lib/errors.ts";
import { type CsrResult, readCsr } from "../pki/pki.ts";

/**
 * The CSR, or its refusal as a value: it is read before the one statement that judges, which asks whether its key is
 * blocked, and thrown when its turn comes in the order of answers.
 */
export function csrOrRefusal(pem: string): CsrResult | Error {
  try {
    return readCsr(pem);
  } catch (error) {
    if (isMusterError(error, "invalid_csr")) return error;
    throw error;
  }
}
