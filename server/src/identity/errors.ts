import { MusterError } from "../lib/errors.ts";

/** What a person who signs in, or a signed-in user, can be answered. */
export type IdentityErrorCode = "invalid_credentials";

/** One answer for an unknown address, a wrong password and a deactivated user. */
export function invalidCredentials(): MusterError<"invalid_credentials"> {
  return new MusterError("invalid_credentials", "the email address or the password is wrong");
}
