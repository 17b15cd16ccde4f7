import type { Filter, FilterValues } from "../ui/input/filters.tsx";

/** Times of the user's own zone, from the first to before the second. */
export const PERIOD: readonly Filter[] = [
  { kind: "time", name: "from", label: "From" },
  { kind: "time", name: "to", label: "To" },
];

/** `2026-11-22T14:30` of the address, in the user's own zone, as the instant that the service compares with; none where it is no time. */
export function instantOf(local: string | undefined): string | undefined {
  const at = new Date(local || Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** An instant as the address and a field of a time have it: `2026-11-22T14:30`, of the user's own zone. */
export function localMinute(at: string | number | null): string {
  if (at === null) return "";
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The bounds of a list by time. */
export function periodOf({ from, to }: FilterValues): { from: string | undefined; to: string | undefined } {
  return { from: instantOf(from), to: instantOf(to) };
}

/** What the API asks for each of the values that the address may negate: `state=!revoked` is `notState=revoked`. */
export function negatable<Name extends string>(values: FilterValues, ...names: readonly Name[]): Negatable<Name> {
  const parameters = names.map((name) => {
    const value = values[name];
    if (!value?.startsWith("!")) return [name, value || undefined];
    return [`not${name.charAt(0).toUpperCase()}${name.slice(1)}`, value.slice(1) || undefined];
  });
  return Object.fromEntries(parameters);
}

// The service checks the values: one that it does not know is answered with its sentence.
// biome-ignore lint/suspicious/noExplicitAny: a value of the address has any type of the API's query
export type Negatable<Name extends string> = { [Key in Name | `not${Capitalize<Name>}`]?: any };
