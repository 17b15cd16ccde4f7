import { boundsOf } from "./rules.ts";

const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = boundsOf("resetPassword", "password");
const LENGTH = `${minLength} to ${maxLength} characters`;

/** What a form says of a new password. */
export const NEW_PASSWORD_HINT = `${LENGTH}, none of the common ones.`;

/** The length of a new password; the service also refuses common ones. */
export function newPasswordRule(value: string): string | null {
  const { length } = [...value];
  return length < minLength || length > maxLength ? `Use ${LENGTH}.` : null;
}

/** The repeated password equals the field `of`. */
export function repeatedRule<Values extends Record<string, unknown>>(of: keyof Values & string) {
  return (value: string, values: Values): string | null => (value === values[of] ? null : "The passwords differ.");
}
