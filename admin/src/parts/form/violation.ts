/** The bounds of a field, as the service states them. */
export interface Bounds {
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  enum?: readonly (string | number)[];
}

/** Returns what is wrong with `value`, or null. */
export function violation(bounds: Bounds, value: unknown): string | null {
  const { required, minLength = 0, maxLength, minimum, maximum } = bounds;
  if (typeof value === "number" || minimum !== undefined || maximum !== undefined) {
    return numberViolation(bounds, value);
  }
  if (typeof value !== "string") return null;
  const length = value.trim().length;
  if (length === 0) return required && minLength > 0 ? "Enter a value." : null;
  if (length < minLength) return `Enter at least ${minLength} characters.`;
  if (maxLength !== undefined && value.length > maxLength) return `Enter at most ${maxLength} characters.`;
  return null;
}

function numberViolation({ required, minimum, maximum }: Bounds, value: unknown): string | null {
  if (value === "" || value === undefined || value === null) return required ? "Enter a number." : null;
  const number = Number(value);
  if (!Number.isFinite(number)) return "Enter a number.";
  if (minimum !== undefined && number < minimum) return `Enter ${minimum} or more.`;
  if (maximum !== undefined && number > maximum) return `Enter ${maximum} or less.`;
  return null;
}
