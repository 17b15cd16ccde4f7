import bounds from "../../api/generated/bounds.json" with { type: "json" };
import { type Bounds, violation } from "./violation.ts";

const ALL = bounds as unknown as Record<string, Record<string, Bounds>>;

/** The bounds of a field in the body of an operation, as the service states them. */
export function boundsOf(operation: string, field: string): Bounds {
  return ALL[operation]?.[field] ?? {};
}

/** Checks of a form's fields by the bounds of an operation's body, for `useForm({ validate: rulesOf("createClaim", […]) })`. */
export function rulesOf<Field extends string>(
  operation: string,
  fields: readonly Field[],
): Record<Field, (value: unknown) => string | null> {
  const entries = fields.map((field) => [field, (value: unknown) => violation(boundsOf(operation, field), value)]);
  return Object.fromEntries(entries);
}
