import limits from "./generated/limits.json" with { type: "json" };

/** The limits of the service that no setting changes, by the names of `server/src/lib/limits/`. */
export const LIMITS = limits;
