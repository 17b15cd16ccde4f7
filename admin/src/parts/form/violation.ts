import { common } from "#texts/common.ts";
import { t } from "#texts/parts.ts";
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
  if (length === 0) return required && minLength > 0 ? common.enterAValue : null;
  if (length < minLength) return t.enterAtLeastCharacters(minLength);
  if (maxLength !== undefined && value.length > maxLength) return t.enterAtMostCharacters(maxLength);
  return null;
}

function numberViolation({ required, minimum, maximum }: Bounds, value: unknown): string | null {
  if (value === "" || value === undefined || value === null) return required ? t.enterANumber : null;
  const number = Number(value);
  if (!Number.isFinite(number)) return t.enterANumber;
  if (minimum !== undefined && number < minimum) return t.enterOrMore(minimum);
  if (maximum !== undefined && number > maximum) return t.enterOrLess(maximum);
  return null;
}
