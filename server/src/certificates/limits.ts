import { DAY } from "../lib/clock.ts";

/** How long before they expire platform certificates are flagged (spec 2.8). */
export const EXPIRY_WARNING_MS = 30 * DAY;
