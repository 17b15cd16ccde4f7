import { t } from "#texts/acts.ts";

type Words = Readonly<Record<string, string>>;

/** The names of acts, by the code of the administrative audit: `<kind of record>.<verb>`. */
export const ACTS: Words = t.acts;

/** The kinds of records of acts, by the value with which the filter names all acts of a kind. */
export const ACTS_ON: Words = t.on;

/** The writes with API keys, by operation. */
export const OPERATIONS: Words = t.operations;

export const WRITE_RESULTS = t.results;

/** Returns the readable name of a field: `telemetryRetentionDays` becomes `telemetry retention days`. */
export function fieldText(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
