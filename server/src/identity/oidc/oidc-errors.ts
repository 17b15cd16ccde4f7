import { isMusterError, MusterError } from "../../lib/errors.ts";
import { invalidRequest } from "../../lib/request-errors.ts";

/** The reason why a person whom the provider has authenticated is not admitted. */
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
  no_email: "your identity provider did not send your e-mail address",
  unverified_email: "your identity provider has not verified your e-mail address, which is needed to find your account",
  other_account: "your account is linked to another account at your identity provider: ask an administrator",
  other_tenant: "an account with your e-mail address belongs to another organization",
  deactivated: "your account is deactivated",
  runs_installation:
    "operators of the installation cannot sign in at this identity provider until one of them saves its settings",
  not_invited: "you have no account here: ask an administrator for an invitation",
  no_account: "you have no account here: ask an administrator for one",
  no_role: "your identity provider gives you no role here: ask an administrator",
  foreign_domain: "your e-mail address is not in a domain of this organization",
};

/** Returns the error for a person whom the provider has authenticated and who is not admitted. */
export function signInRefused(why: Refusal): MusterError<"sign_in_refused"> {
  return new MusterError("sign_in_refused", SENTENCES[why], { detail: why });
}

/** Returns the error for a provider's answer without a matching sign-in in this browser. */
export function flowExpired(): MusterError<"sign_in_flow_expired"> {
  const sentence = "this sign-in was completed already, was begun in another browser, or took too long: begin again";
  return new MusterError("sign_in_flow_expired", sentence);
}

/** Returns the error for a provider that is switched on before a test succeeded. */
export function providerUntested(): MusterError<"provider_untested"> {
  return new MusterError("provider_untested", "test the provider with a sign-in before you switch it on");
}

/** Returns the error for a provider that is unreachable, refuses, or answers wrongly. Other errors are kept. */
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

/** Returns the error for a sign-in rule that would lock out every admin. */
export function lockoutRefused(rule: "required" | "break_glass"): MusterError<"last_admin"> {
  const sentence =
    rule === "required"
      ? "no admin has signed in at the provider yet: one must do so before it is required"
      : "at least one emergency admin is needed, and each must be an active admin with a second factor";
  return new MusterError("last_admin", sentence);
}

/** Returns the error for a new issuer or client without a secret: the old secret must not be sent to it. */
export function secretMissing(): MusterError<"invalid_request"> {
  return invalidRequest("A new issuer or client needs its client secret.", "clientSecret");
}
