import type { Schemas } from "../client.ts";
import { readList } from "../read.ts";

export type Person = Schemas["Person"];

/** Enough for most tenants; the others search. */
const MOST = 500;

/** The active users whose address or name contains `q`. */
export const peopleQuery = (q = "") => readList("/api/admin/people", { q, limit: MOST });

/** Returns the name of a person, or else the e-mail address. */
export const nameOfPerson = (person: { name: string | null; email: string }): string => person.name ?? person.email;
