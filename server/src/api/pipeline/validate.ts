import type { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { firstIssue, issueText, type SchemaIssue } from "../../lib/schema-issue.ts";
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
  flowCookie?: string | undefined;
  challengeCookie?: string | undefined;
}

/**
 * Validates the input against the shapes of the route.
 *
 * @throws Refusal invalid_request with the first wrong field in `detail`, and every wrong field in `details`
 */
export function validate(route: Route, raw: RawInput): ValidInput {
  const checked = {
    path: route.params?.safeParse(addressPart(raw.params)),
    query: route.query?.safeParse(addressPart(raw.query)),
    body: route.body?.safeParse(raw.body),
  };
  const details = PARTS.flatMap((part) => problemsOf(part, checked[part], raw.body));
  for (const part of PARTS) requireValid(part, checked[part], { body: raw.body, details });
  return { params: checked.path?.data, query: checked.query?.data, body: checked.body?.data };
}

const PARTS = ["path", "query", "body"] as const;
type Part = (typeof PARTS)[number];
type Checked = z.ZodSafeParseResult<unknown> | undefined;

/** Returns a copy with an ordinary prototype, checked like a body: `%00` arrives here as NUL. */
function addressPart(values: unknown): Record<string, unknown> {
  checkValue(values);
  return { ...(values as Record<string, unknown>) };
}

/** @throws Refusal invalid_request for the first problem of a part */
function requireValid(part: Part, result: Checked, { body, details }: { body: unknown; details: Detail[] }): void {
  if (result?.success !== false) return;
  const extra = { details: details.slice(0, records.problemsOfRequest.value) };
  const refuse = (message: string, detail: string) =>
    new Refusal("invalid_request", message, { middleware: "validation", detail: clip(detail), extra });
  if (part === "body" && body === undefined) throw refuse(NO_BODY, part);
  const issue = firstIssue(result.error.issues);
  const name = issue.path.join(".");
  if (issue.keys) {
    const unknown = [...issue.path, issue.keys[0]!].join(".");
    throw refuse(`unknown ${nounOf(part)} in the ${part}: ${clip(unknown)}`, unknown);
  }
  throw refuse(`${name ? clip(name) : `the ${part}`} ${textOf(issue, part)}`, name || part);
}

const NO_BODY = "a JSON body is needed";

/** One problem of a request: the part, the place in it as a JSON Pointer (RFC 6901), and a sentence about it. */
interface Detail {
  in: Part;
  pointer: string;
  message: string;
}

/** Returns every problem of a part, in the order of the shape. */
function problemsOf(part: Part, result: Checked, body: unknown): Detail[] {
  if (result?.success !== false) return [];
  if (part === "body" && body === undefined) return [{ in: part, pointer: "", message: NO_BODY }];
  return result.error.issues.flatMap((outer) => {
    const issue = firstIssue([outer]);
    const at = (path: readonly PropertyKey[], message: string) => ({ in: part, pointer: pointerTo(path), message });
    if (issue.keys) return issue.keys.map((key) => at([...issue.path, key], `is an unknown ${nounOf(part)}`));
    return [at(issue.path, textOf(issue, part))];
  });
}

function nounOf(part: Part): string {
  return part === "query" ? "parameter" : "field";
}

function textOf(issue: SchemaIssue, part: Part): string {
  const plus = part === "query" && issue.format === "datetime" ? " (in a URL, + is written %2B)" : "";
  return `${issueText(issue)}${plus}`;
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${clip(String(step)).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Truncates long field names, which come from the client. */
function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
