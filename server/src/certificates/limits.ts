import { DAY } from "../lib/clock.ts";

/** Platform certificates are flagged from here to their end (spec 2.8). */
export const EXPIRY_WARNING_MS = 30 * DAY;
