import { DAY } from "../lib/clock.ts";

/** The time before expiry from which platform certificates are flagged (spec 2.8). */
export const EXPIRY_WARNING_MS = 30 * DAY;
