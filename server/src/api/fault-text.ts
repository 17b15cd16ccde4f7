import type { z } from "zod";

const KINDS: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

const TIME = "must be a time like 2026-11-21T10:00:00Z, its zone named (in an address + is written %2B)";

/** What is wrong with a value, as the rest of a sentence that begins with the field's name. */
export function faultText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.message.endsWith("received undefined"))
        return `is required: ${KINDS[issue.expected] ?? issue.expected}`;
      if (issue.expected === "string" && issue.message.endsWith("received array"))
        return "must be one text, given once";
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "too_small":
      return bound(issue.origin, "at least", Number(issue.minimum));
    case "too_big":
      return bound(issue.origin, "at most", Number(issue.maximum));
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "invalid_format":
      if (issue.format === "datetime") return TIME;
      return issue.message.startsWith("Invalid") ? `must be well-formed (${issue.format})` : issue.message;
    default:
      return issue.message;
  }
}

function bound(origin: string, which: string, limit: number): string {
  if (origin === "string")
    return limit === 1 && which === "at least" ? "must not be empty" : `must have ${which} ${limit} characters`;
  if (origin === "array" || origin === "set") return `must have ${which} ${limit} item${limit === 1 ? "" : "s"}`;
  return `must be ${which} ${limit}`;
}
