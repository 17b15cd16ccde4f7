const LEAST = 12;
const MOST = 128;

/** The length of a new password; the service also refuses common ones. */
export function newPasswordRule(value: string): string | null {
  const { length } = [...value];
  return length < LEAST || length > MOST ? `Use ${LEAST} to ${MOST} characters.` : null;
}

/** The repeated password equals the field `of`. */
export function repeatedRule<Values extends Record<string, unknown>>(of: keyof Values & string) {
  return (value: string, values: Values): string | null =>
    value === values[of] ? null : "The two passwords are not the same.";
}
