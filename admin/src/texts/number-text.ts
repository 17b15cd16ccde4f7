import { LOCALE } from "./locale.ts";

const NUMBER = new Intl.NumberFormat(LOCALE);

/** Returns a number with the separators of the app's language: `8,196`. */
export function numberText(value: number): string {
  return NUMBER.format(value);
}

type Unit = "second" | "minute" | "hour" | "day" | "year";

/** Returns a length of time in words: `40 seconds`. */
export function unitText(value: number, unit: Unit): string {
  return new Intl.NumberFormat(LOCALE, { style: "unit", unit, unitDisplay: "long" }).format(value);
}
