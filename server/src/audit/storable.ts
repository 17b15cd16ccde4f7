/** Whether every text of a filter can stand in the database: PostgreSQL has no text with NUL, so nothing matches one. */
export function isStorable(filter: object): boolean {
  return Object.values(filter).every((value) => typeof value !== "string" || !value.includes("\0"));
}
