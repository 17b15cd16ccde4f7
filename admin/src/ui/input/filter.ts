/** A filter of a list. Its value is text; absent or empty text means "any". */
export type Filter =
  | {
      kind: "text";
      name: string;
      label: string;
      placeholder?: string;
      maxLength?: number;
      /** Accepts `!` before a value to exclude it. */
      not?: boolean;
    }
  | {
      kind: "choice";
      name: string;
      label: string;
      options: readonly (readonly [value: string, label: string])[];
      not?: boolean;
      /** Accepts several values, one of which suffices: see `valuesOf`. */
      many?: boolean;
      /** The records that the list shows without a value, if these are not all. */
      unset?: string;
    }
  /** `2026-11-22T14:30` in the user's own zone. */
  | { kind: "time"; name: string; label: string };

/** Returns whether the list is narrowed without a value of the filter, too. */
export const hasDefault = (filter: Filter): boolean => filter.kind === "choice" && filter.unset !== undefined;

export type FilterValues = Readonly<Record<string, string | undefined>>;

/** The meaning of a value of the address: the values, and whether a record must not have one of them. */
export interface FilterValue {
  isNot: boolean;
  values: readonly string[];
}

/** Reads `!a,b`: none of the values `a` and `b`, each encoded as in an address. */
export function valuesOf(text: string): FilterValue {
  const isNot = text.startsWith("!");
  const values = (isNot ? text.slice(1) : text).split(",").filter((each) => each !== "");
  return { isNot, values: values.map(decoded) };
}

/** Writes what {@link valuesOf} reads; the empty text without values. */
export function textOf({ isNot, values }: FilterValue): string {
  if (values.length === 0) return "";
  return `${isNot ? "!" : ""}${values.map(encodeURIComponent).join(",")}`;
}

/** An address that a person typed may be no code. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
