import type * as en from "../en/language.ts";

export const LANGUAGE: typeof en.LANGUAGE = "de";

/** German nouns keep their capital within a sentence. */
export const withinSentence: typeof en.withinSentence = (label) => label;
