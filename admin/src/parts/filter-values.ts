import { common } from "#texts/common.ts";
import { t } from "#texts/parts.ts";
import { instantIn, localText } from "../ui/display/zone.ts";
import type { Filter, FilterValues } from "../ui/ui.ts";

/** The filters for a period: from the first time to before the second, in the user's own zone. */
export const PERIOD: readonly Filter[] = [
  { kind: "time", name: "from", label: common.from },
  { kind: "time", name: "to", label: t.to },
];

/** Returns the instant of `2026-11-22T14:30` in the user's own zone; undefined for any other text. */
export function instantOf(local: string | undefined): string | undefined {
  const at = instantIn(local ?? "");
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** Returns an instant as `2026-11-22T14:30` in the user's own zone, for addresses and fields. */
export function localMinute(at: string | number | null): string {
  if (at === null) return "";
  return localText(new Date(at).getTime()).slice(0, 16);
}

export function periodOf({ from, to }: FilterValues): { from: string | undefined; to: string | undefined } {
  return { from: instantOf(from), to: instantOf(to) };
}

/** Returns the query parameters of filters that may be negated: `state=!revoked` becomes `notState=revoked`. */
export function negatable<Name extends string>(values: FilterValues, ...names: readonly Name[]): Negatable<Name> {
  const parameters = names.map((name) => {
    const value = values[name];
    if (!value?.startsWith("!")) return [name, value || undefined];
    return [`not${name.charAt(0).toUpperCase()}${name.slice(1)}`, value.slice(1) || undefined];
  });
  return Object.fromEntries(parameters);
}

// The service validates the values.
// biome-ignore lint/suspicious/noExplicitAny: a value of the address has any type of the API's query
type Negatable<Name extends string> = { [Key in Name | `not${Capitalize<Name>}`]?: any };
