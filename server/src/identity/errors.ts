import { MusterError } from "../lib/errors.ts";
import type { LinkPurpose } from "./links/link-store.ts";

/** What a person who signs in, or a signed-in user, can be answered. */
export type IdentityErrorCode =
  | "invalid_credentials"
  | "sign_in_throttled"
  | "link_expired"
  | "factor_required"
  | "factor_mandatory";

/** One answer for an unknown address, a wrong password and a deactivated user. */
export function invalidCredentials(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the email address or the password is wrong");
}

/** The password that a signed-in user gave is not theirs. */
export function wrongPassword(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the password is wrong", { detail: "password" });
}

/** The code that was given is none of the user's second factor. */
export function wrongCode(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the code is wrong", { detail: "code" });
}

/** The code was right, and was used before: each is accepted once (RFC 6238 5.2). */
export function usedCode(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "this code was used already: wait for the next one", {
    detail: "code",
  });
}

/** The password alone does not do for a user who has a second factor. */
export function factorRequired(): MusterError<"factor_required"> {
  return new MusterError("factor_required", "this needs a code of your second factor, too", { detail: "code" });
}

/** The tenant has the rule that its admins have a second factor. */
export function factorMandatory(): MusterError<"factor_mandatory"> {
  const sentence = "the tenant requires a second factor of its admins: set up another one in its place";
  return new MusterError("factor_mandatory", sentence);
}

/** Too many attempts failed; further ones are refused until `until`, right ones too. */
export function signInThrottled(until: Date, now: Date): MusterError<"sign_in_throttled"> {
  const at = until.toISOString();
  return new MusterError("sign_in_throttled", `too many attempts failed; try again at ${at.slice(11, 16)} UTC`, {
    extra: { until: at, retryAfterSeconds: (until.getTime() - now.getTime()) / 1000 },
  });
}

/** One answer for a link that is unknown, used, replaced or expired. Who may run the service may make another for its set-up. */
export function linkExpired(purpose: LinkPurpose): MusterError<"link_expired"> {
  const cure = purpose === "setup" ? "; on the machine of the service, npx muster setup-link makes another" : "";
  return new MusterError("link_expired", `this link was used, was replaced by a newer one, or has expired${cure}`);
}
