import { MusterError } from "../lib/errors.ts";
import type { LinkPurpose } from "./links/link-store.ts";

/** The error codes for a person who signs in, and for a signed-in user. */
export type IdentityErrorCode =
  | "invalid_credentials"
  | "sign_in_throttled"
  | "link_expired"
  | "factor_required"
  | "factor_mandatory"
  | "sign_in_refused"
  | "sign_in_flow_expired"
  | "sso_required"
  | "challenge_expired"
  | "provider_untested"
  | "provider_failed";

/** Returns the same error for an unknown address, a wrong password and a deactivated user. */
export function invalidCredentials(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the e-mail address or the password is wrong");
}

/** Returns the error for a signed-in user who entered a wrong password. */
export function wrongPassword(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the password is wrong", { detail: "password" });
}

/** Returns the error for a code that does not belong to the user's second factor. */
export function wrongCode(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the code is wrong", { detail: "code" });
}

/** Returns the error for a correct code that was used before: each is accepted once (RFC 6238 5.2). */
export function usedCode(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "this code was used already: wait for the next one", {
    detail: "code",
  });
}

/** Returns the same error for an unknown passkey, a wrong signature and a deactivated user. */
export function wrongPasskey(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "this passkey was not accepted", { detail: "passkey" });
}

/** Returns the error for a passkey whose signature counter went back (WebAuthn 6.1.1). */
export function copiedPasskey(): MusterError<"invalid_credentials"> {
  const sentence = "this passkey may have been copied, because its signature counter went back: remove it";
  return new MusterError("invalid_credentials", sentence, { detail: "passkey_counter" });
}

/** Returns the error for a signed challenge that this browser was not given, or that was used or has expired. */
export function challengeExpired(): MusterError<"challenge_expired"> {
  return new MusterError("challenge_expired", "this request for a passkey was used or has expired; begin again");
}

/** Returns the error for a user with a second factor who gave only the password. */
export function factorRequired(): MusterError<"factor_required"> {
  return new MusterError("factor_required", "this needs your second factor, too", { detail: "code" });
}

/** Returns the error for an admin who may not remove the last second factor, which a rule of the tenant requires. */
export function factorMandatory(): MusterError<"factor_mandatory"> {
  const sentence = "you must have a second factor: set up another one before you remove this one";
  return new MusterError("factor_mandatory", sentence);
}

/** Returns the error for too many failed attempts; even correct ones are refused until `until`. */
export function signInThrottled(until: Date, now: Date): MusterError<"sign_in_throttled"> {
  const at = until.toISOString();
  return new MusterError("sign_in_throttled", `too many attempts failed; try again at ${at.slice(11, 16)} UTC`, {
    extra: { until: at, retryAfterSeconds: (until.getTime() - now.getTime()) / 1000 },
  });
}

/**
 * Returns the same error for an unknown, used, replaced or expired link. For the set-up it also says how an operator
 * makes another link.
 */
export function linkExpired(purpose: LinkPurpose): MusterError<"link_expired"> {
  const cure = purpose === "setup" ? "; on the machine of the service, npx muster setup-link makes another" : "";
  return new MusterError("link_expired", `this link was used, was replaced by a newer one, or has expired${cure}`);
}

/** Returns the error for credentials of a user who must sign in at the company's provider. */
export function ssoRequired(): MusterError<"sso_required"> {
  return new MusterError("sso_required", "your organization requires that you sign in at its identity provider");
}
