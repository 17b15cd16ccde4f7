import { t } from "#texts/parts.ts";
import bounds from "../../api/generated/bounds.json" with { type: "json" };
import { type Bounds, violation } from "./violation.ts";

const ALL = bounds as unknown as Record<string, Record<string, Bounds>>;

/** Returns the bounds of a field in the body of an operation, as the service states them. */
export function boundsOf(operation: string, field: string): Bounds {
  return ALL[operation]?.[field] ?? {};
}

/** Returns the checks of a form's fields by the bounds of an operation's body. */
export function rulesOf<Field extends string>(
  operation: string,
  fields: readonly Field[],
): Record<Field, (value: unknown) => string | null> {
  const entries = fields.map((field) => [field, (value: unknown) => violation(boundsOf(operation, field), value)]);
  return Object.fromEntries(entries);
}

const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = boundsOf("resetPassword", "password");
const LENGTH = t.toCharacters(minLength, maxLength);

/** The hint for a new password. */
export const NEW_PASSWORD_HINT = t.noneOfTheCommonOnes(LENGTH);

/** Checks the length of a new password; the service also refuses common ones. */
export function newPasswordRule(value: string): string | null {
  const { length } = [...value];
  return length < minLength || length > maxLength ? t.use(LENGTH) : null;
}

/** Checks that the repeated password equals the field `of`. */
export function repeatedRule<Values extends Record<string, unknown>>(of: keyof Values & string) {
  return (value: string, values: Values): string | null => (value === values[of] ? null : t.thePasswordsDiffer);
}
