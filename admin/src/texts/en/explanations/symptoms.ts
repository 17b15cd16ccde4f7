import type { Symptoms } from "../../explanations.ts";

/** The service describes symptoms in English itself. */
export const symptoms: Symptoms = {};
