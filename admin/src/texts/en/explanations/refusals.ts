import type { Explanations } from "../../explanations.ts";

/** The service explains refusals in English itself. */
export const refusals: Explanations = {};
