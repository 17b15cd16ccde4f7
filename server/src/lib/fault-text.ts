/** What a schema finds wrong, as zod says it; here no more of it than the sentences need, so that both surfaces share them. */
export interface Fault {
  readonly code?: string | undefined;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly expected?: string;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly values?: readonly unknown[];
  readonly format?: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Fault[])[];
}

const KINDS: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

const TIME = "must be a time like 2026-11-21T10:00:00Z, its zone named";

/**
 * Of several faults the one to name: a misspelt field is both an unknown one and a missing one, and the first of the two helps; inside a
 * union the first branch's first complaint says more than "no branch fits".
 */
export function firstFault(faults: readonly Fault[]): Fault {
  const fault = faults.find(({ code }) => code === "unrecognized_keys") ?? faults[0]!;
  const inner = fault.code === "invalid_union" ? fault.errors?.[0]?.[0] : undefined;
  return inner ? firstFault([{ ...inner, path: [...fault.path, ...inner.path] }]) : fault;
}

/** What is wrong with a value, as the rest of a sentence that begins with the field's name. */
export function faultText(fault: Fault): string {
  switch (fault.code) {
    case "invalid_type":
      if (fault.message.endsWith("received undefined")) return `is required: ${kind(fault)}`;
      if (fault.expected === "string" && fault.message.endsWith("received array"))
        return "must be one text, given once";
      return `must be ${kind(fault)}`;
    case "too_small":
      return bound(fault, "at least", Number(fault.minimum));
    case "too_big":
      return bound(fault, "at most", Number(fault.maximum));
    case "invalid_value":
      return choice(fault.values ?? []);
    case "invalid_format":
      if (fault.format === "datetime") return TIME;
      return fault.message.startsWith("Invalid") ? `must be well-formed (${fault.format})` : fault.message;
    default:
      return fault.message;
  }
}

function kind({ expected = "something else" }: Fault): string {
  return KINDS[expected] ?? expected;
}

function choice(values: readonly unknown[]): string {
  return `must be ${values.length > 1 ? "one of " : ""}${values.map((value) => JSON.stringify(value)).join(", ")}`;
}

function bound({ origin }: Fault, which: string, limit: number): string {
  if (origin === "string")
    return limit === 1 && which === "at least" ? "must not be empty" : `must have ${which} ${limit} characters`;
  if (origin === "array" || origin === "set") return `must have ${which} ${limit} item${limit === 1 ? "" : "s"}`;
  return `must be ${which} ${limit}`;
}
