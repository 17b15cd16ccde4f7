/**
 * Returns whether the database can store every text of a filter: PostgreSQL has no text with NUL, so nothing matches
 * one.
 */
export function isStorable(filter: object): boolean {
  return Object.values(filter).every((value) => typeof value !== "string" || !value.includes("\0"));
}
