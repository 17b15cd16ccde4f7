import { LANGUAGE } from "#texts/language.ts";

/** The locale of a browser that prefers another language. */
const USUAL: Readonly<Record<string, string>> = { en: "en-GB", de: "de-DE" };

/** The locale of numbers and dates: the user's own variant of the app's language, such as `en-US`, if there is one. */
export const LOCALE: string =
  navigator.languages.find((tag) => tag.toLowerCase().startsWith(`${LANGUAGE}-`)) ?? USUAL[LANGUAGE] ?? LANGUAGE;
