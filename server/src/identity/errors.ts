import { MusterError } from "../lib/errors.ts";

/** What a person who signs in, or a signed-in user, can be answered. */
export type IdentityErrorCode = "invalid_credentials" | "sign_in_throttled" | "link_expired";

/** One answer for an unknown address, a wrong password and a deactivated user. */
export function invalidCredentials(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the email address or the password is wrong");
}

/** The password that a signed-in user gave is not theirs. */
export function wrongPassword(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the password is wrong", { detail: "password" });
}

/** Too many attempts failed; further ones are refused until `until`, right ones too. */
export function signInThrottled(until: Date, now: Date): MusterError<"sign_in_throttled"> {
  const at = until.toISOString();
  return new MusterError("sign_in_throttled", `too many attempts failed; try again at ${at.slice(11, 16)} UTC`, {
    extra: { until: at, retryAfterSeconds: (until.getTime() - now.getTime()) / 1000 },
  });
}

/** One answer for a link that is unknown, used, replaced or expired. */
export function linkExpired(): MusterError<"link_expired"> {
  return new MusterError("link_expired", "this link was used, was replaced by a newer one, or has expired");
}
