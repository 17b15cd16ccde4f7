import { readList } from "../read.ts";

/** Enough for most tenants; the others search. */
const MOST = 500;

/** The active users whose address contains `q`. */
export const peopleQuery = (q = "") => readList("/api/admin/people", { q, limit: MOST });
