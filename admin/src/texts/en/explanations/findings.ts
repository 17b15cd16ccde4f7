import type { Explanations } from "../../explanations.ts";

/** The service explains findings in English itself. */
export const findings: Explanations = {};
