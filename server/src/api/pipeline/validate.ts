import type { z } from "zod";
import { firstIssue, issueText } from "../../lib/schema-issue.ts";
import { checkValue } from "../http/json-body.ts";
import { Refusal } from "../problem.ts";
import type { Route } from "../route.ts";

export interface RawInput {
  params: unknown;
  query: unknown;
  /** The body, already checked by {@link parseJsonBody}. */
  body: unknown;
}

/** Validated input; a part for which the route has no shape is undefined. */
export interface ValidInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

/**
 * Validates the input against the shapes of the route.
 *
 * @throws Refusal invalid_request with the first wrong field in `detail`
 */
export function validate(route: Route, raw: RawInput): ValidInput {
  return {
    params: route.params && part(route.params, addressPart(raw.params), "path"),
    query: route.query && part(route.query, addressPart(raw.query), "query"),
    body: route.body && part(route.body, raw.body, "body"),
  };
}

/** Returns a copy with an ordinary prototype, checked like a body: `%00` arrives here as NUL. */
function addressPart(values: unknown): Record<string, unknown> {
  checkValue(values);
  return { ...(values as Record<string, unknown>) };
}

function part(shape: z.ZodType, value: unknown, where: string): unknown {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  if (value === undefined) throw refusal("a JSON body is needed", where);
  const issue = firstIssue(result.error.issues);
  const name = issue.path.join(".");
  if (issue.keys) {
    const unknown = [...issue.path, issue.keys[0]!].join(".");
    const what = where === "query" ? "parameter" : "field";
    throw refusal(`unknown ${what} in the ${where}: ${clip(unknown)}`, unknown);
  }
  const plus = where === "query" && issue.format === "datetime" ? " (in a URL, + is written %2B)" : "";
  throw refusal(`${name ? clip(name) : `the ${where}`} ${issueText(issue)}${plus}`, name || where);
}

function refusal(message: string, detail: string): Refusal {
  return new Refusal("invalid_request", message, { middleware: "validation", detail: clip(detail) });
}

/** Truncates long field names, which come from the client. */
function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
