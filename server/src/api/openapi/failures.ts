import { MISSING } from "../../identity/identity.ts";
import { type ErrorCode, PROBLEMS } from "../problem.ts";
import { isConditional, type Route, takesIdempotencyKey } from "../route.ts";
import { exampleOf, fieldsOf } from "./error-examples.ts";
import { ERROR_TEXTS } from "./error-texts.ts";
import { type AnswerHeader, headerReferences, usualHeaders } from "./headers.ts";
import type { Json } from "./schemas.ts";

/** Returns the codes that every operation of a kind may answer besides its own. */
function commonCodes(route: Route): readonly ErrorCode[] {
  const anywhere = ["rate_limited", "internal_error", "catalog_unavailable"] as const;
  if (route.surface === "device") return anywhere;
  if (route.surface === "public") return ["invalid_api_key", "address_not_allowed", "insufficient_scope", ...anywhere];
  const admin: ErrorCode[] = ["foreign_origin", ...anywhere];
  if (route.by !== "anyone") admin.push("session_required");
  if (route.by === "user" || (route.by === "session" && route.evenWithout?.length !== MISSING.length))
    admin.push("sign_in_incomplete");
  if (route.by === "user") admin.push("insufficient_role");
  if (route.stepUp) admin.push("reauthentication_required");
  return admin;
}

/** Returns every code that `route` may answer: its own, its surface's, and those that follow from its input. */
export function errorCodes(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = [...commonCodes(route), ...route.errors];
  if (route.params || route.query || route.body) codes.push("invalid_request");
  if (route.body) codes.push("payload_too_large", "unsupported_media_type", "request_timeout");
  if (takesIdempotencyKey(route)) codes.push("already_processed", "idempotency_key_reused");
  if (isConditional(route)) codes.push("precondition_failed");
  return [...new Set(codes)].sort((one, other) => PROBLEMS[one].status - PROBLEMS[other].status);
}

/**
 * Returns one answer per status: a reference if the status has one code, or codes that every operation of the kind may
 * answer; otherwise an answer of this operation alone.
 */
export function failures(route: Route): Json {
  const answers = byStatus(route).map(([status, codes]) => [
    status,
    isShared(route, codes) ? { $ref: `#/components/responses/${nameOf(codes)}` } : failure(route, codes),
  ]);
  return Object.fromEntries(answers);
}

/** Returns the answers to which {@link failures} of these routes refer, and the examples of all. */
export function failureComponents(routes: readonly Route[]): { responses: Json; examples: Json } {
  const responses: Json = {};
  const examples: Json = {};
  for (const route of routes) {
    for (const [, codes] of byStatus(route)) {
      if (isShared(route, codes)) responses[nameOf(codes)] ??= failure(route, codes);
      for (const code of codes) examples[code] ??= { summary: plain(code), value: exampleOf(code) };
    }
  }
  return { responses, examples };
}

/**
 * Returns the schema of every error of these routes: generated clients then have one class for all of them. A field
 * that only some codes have is optional.
 */
export function errorSchema(routes: readonly Route[], usual: Json): Json {
  const codes = [...new Set(routes.flatMap((route) => errorCodes(route)))];
  return { ...usual, properties: { ...(usual.properties as Json), ...fieldsOf(codes) } };
}

function byStatus(route: Route): [status: string, codes: ErrorCode[]][] {
  return [...Map.groupBy(errorCodes(route), (code) => String(PROBLEMS[code].status))];
}

function isShared(route: Route, codes: readonly ErrorCode[]): boolean {
  return codes.length === 1 || codes.every((code) => commonCodes(route).includes(code));
}

function failure(route: Route, codes: ErrorCode[]): Json {
  const schema = { $ref: "#/components/schemas/Error" };
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TEXTS[code].summary}`).join("\n\n"),
    "x-error-codes": codes,
    headers: headerReferences(headersOf(route, codes)),
    content: { "application/json": { schema, examples } },
  };
}

function headersOf(route: Route, codes: ErrorCode[]): AnswerHeader[] {
  // Without a valid key there is no quota.
  const usual = usualHeaders(route).filter(
    (name) => !(name.startsWith("RateLimit") && codes.includes("invalid_api_key")),
  );
  const waits = codes.some((code) => [429, 502, 503].includes(PROBLEMS[code].status));
  return waits ? [...usual, "Retry-After"] : usual;
}

function nameOf(codes: readonly ErrorCode[]): string {
  return codes.join("_or_").replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
}

function plain(code: ErrorCode): string {
  return ERROR_TEXTS[code].summary.replaceAll("`", "");
}
