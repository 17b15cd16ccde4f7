import { LANGUAGE } from "#texts/language.ts";

const NUMBER = new Intl.NumberFormat(LANGUAGE);

/** Returns a number with the separators of the app's language: `8,196`. */
export function numberText(value: number): string {
  return NUMBER.format(value);
}
