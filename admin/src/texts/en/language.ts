/** The language of the texts, as a BCP 47 tag. */
export const LANGUAGE: string = "en";

/** Returns a label as it stands within a sentence. */
export const withinSentence = (label: string): string => label.toLowerCase();
