import { Socket } from "node:net";
import { TLSSocket } from "node:tls";

const DATE_ERRORS = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

/**
 * Makes TLS in this process accept certificates outside their validity. OpenSSL compares certificates with the
 * machine's clock, whichever clock a test uses; the service compares the recorded dates with its own clock.
 * @returns a function that undoes it
 */
export function acceptAnyDate(): () => void {
  const handle = (new TLSSocket(new Socket()) as unknown as { _handle: object })._handle;
  const proto = Object.getPrototypeOf(handle) as { verifyError(): { code: string } | null };
  const original = proto.verifyError;
  proto.verifyError = function (this: object) {
    const error = original.call(this as never);
    return error && DATE_ERRORS.has(error.code) ? null : error;
  };
  return () => {
    proto.verifyError = original;
  };
}
