import { isMusterError, MusterError } from "../../lib/errors.ts";
import { invalidRequest } from "../../lib/request-errors.ts";

/** Why a person whom the provider vouches for is not let in. */
export type Refusal =
  | "no_email"
  | "unverified_email"
  | "other_account"
  | "other_tenant"
  | "deactivated"
  | "runs_installation"
  | "not_invited"
  | "no_account"
  | "no_role"
  | "foreign_domain";

const SENTENCES: Readonly<Record<Refusal, string>> = {
  no_email: "your company's provider does not tell your e-mail address",
  unverified_email: "your company's provider has not verified your e-mail address, so it cannot open your account",
  other_account: "your account belongs to another person or account at your company's provider: ask an administrator",
  other_tenant: "an account with your e-mail address belongs to another organization",
  deactivated: "your account is deactivated",
  runs_installation:
    "your account runs the installation: a user who runs it must save the settings of the provider before you sign in there",
  not_invited: "you have no account here: ask an administrator for an invitation",
  no_account: "you have no account here: ask an administrator for one",
  no_role: "your company's provider gives you no role here: ask an administrator",
  foreign_domain: "your e-mail address is not of a domain of this organization",
};

/** Returns the error for a person whom the provider vouches for and who is not let in. */
export function signInRefused(why: Refusal): MusterError<"sign_in_refused"> {
  return new MusterError("sign_in_refused", SENTENCES[why], { detail: why });
}

/** Returns the error for an answer of the provider that belongs to no sign-in that this browser has begun. */
export function flowExpired(): MusterError<"sign_in_flow_expired"> {
  const sentence = "this sign-in was completed already, was begun in another browser, or took too long: begin again";
  return new MusterError("sign_in_flow_expired", sentence);
}

/** Returns the error for a provider that is switched on before a test succeeded. */
export function providerUntested(): MusterError<"provider_untested"> {
  return new MusterError("provider_untested", "test the provider with a sign-in before you switch it on");
}

/** Returns the error for a provider that cannot be reached, refuses, or answers wrongly; other errors pass. */
export function providerFailed(error: unknown): Error {
  if (isMusterError(error)) return error;
  const causes = causesOf(error);
  const reason = causes.map(({ message }) => message).join(": ");
  const { error: code } = error as { error?: unknown };
  const sentence =
    typeof code === "string"
      ? `the identity provider refused the sign-in (${code.slice(0, 100)})`
      : "the identity provider cannot be reached, or its answer is not valid";
  return new MusterError("provider_failed", sentence, { detail: reason.slice(0, 300), cause: error });
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)].slice(0, 3) : [];
}

/** Returns the error for a rule under which no admin could sign in. */
export function lockoutRefused(rule: "required" | "break_glass"): MusterError<"last_admin"> {
  const sentence =
    rule === "required"
      ? "no admin has signed in at the provider yet: one must do so before it is required"
      : "every break-glass admin must be an active admin with a second factor, and there must be at least one";
  return new MusterError("last_admin", sentence);
}

/** Returns the error for a new connection without its secret: that of another client must not reach this one. */
export function secretMissing(): MusterError<"invalid_request"> {
  return invalidRequest("A new issuer or client needs its client secret.", "clientSecret");
}
