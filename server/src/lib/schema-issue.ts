/**
 * One issue reported by zod, with only the fields that its sentence needs. `lib` does not import zod; the HTTP API and
 * the control socket share these sentences.
 */
export interface SchemaIssue {
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
  readonly errors?: readonly (readonly SchemaIssue[])[];
}

const KINDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

const TIME = "must be a time with its zone, like 2026-11-21T10:00:00Z";

/**
 * Picks the issue to report when there are several. A misspelt field is reported both as unknown and as missing: the
 * unknown name helps more. Inside a union, the first issue of the first branch is more specific than "no branch
 * matches".
 */
export function firstIssue(issues: readonly SchemaIssue[]): SchemaIssue {
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
  const inner = issue.code === "invalid_union" ? issue.errors?.[0]?.[0] : undefined;
  return inner ? firstIssue([{ ...inner, path: [...issue.path, ...inner.path] }]) : issue;
}

/** Returns the predicate of a sentence whose subject is the field's name: `must be …`. */
export function issueText(issue: SchemaIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.message.endsWith("received undefined")) return `is required: ${kind(issue)}`;
      if (issue.expected === "string" && issue.message.endsWith("received array"))
        return "must be one string, given once";
      return `must be ${kind(issue)}`;
    case "too_small":
      return bound(issue, "at least", Number(issue.minimum));
    case "too_big":
      return bound(issue, "at most", Number(issue.maximum));
    case "invalid_value":
      return choice(issue.values ?? []);
    case "invalid_format":
      if (issue.format === "datetime") return TIME;
      return issue.message.startsWith("Invalid") ? `must be well-formed (${issue.format})` : issue.message;
    default:
      return issue.message;
  }
}

function kind({ expected = "something else" }: SchemaIssue): string {
  return KINDS[expected] ?? expected;
}

function choice(values: readonly unknown[]): string {
  return `must be ${values.length > 1 ? "one of " : ""}${values.map((value) => JSON.stringify(value)).join(", ")}`;
}

function bound({ origin }: SchemaIssue, which: string, limit: number): string {
  if (origin === "string")
    return limit === 1 && which === "at least" ? "must not be empty" : `must have ${which} ${limit} characters`;
  if (origin === "array" || origin === "set") return `must have ${which} ${limit} item${limit === 1 ? "" : "s"}`;
  return `must be ${which} ${limit}`;
}
