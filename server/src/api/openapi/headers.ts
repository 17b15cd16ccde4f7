import { listsPages, makesRecord, showsRecord } from "../pipeline/answer-headers.ts";
import { isConditional, type Route, takesIdempotencyKey } from "../route.ts";
import type { Json } from "./schemas.ts";

const text = (description: string, example: string) => ({ description, schema: { type: "string" }, example });

/** The headers of answers, by name. */
const ANSWER_HEADERS = {
  "X-Request-Id": text(
    "Identifies this request in the service's log; yours if you sent an acceptable one",
    "k3vq7xw2n5tbh-2f",
  ),
  "Cache-Control": text("`no-store`: the answer is for this caller only", "no-store"),
  RateLimit: text("Remaining requests (`r`), and seconds until there is one more (`t`)", '"key";r=119;t=60'),
  "RateLimit-Policy": text("The quota (`q`) and its window in seconds (`w`)", '"key";q=120;w=60'),
  "Retry-After": { description: "Whole seconds to wait", schema: { type: "integer" }, example: 12 },
  ETag: text("Identifies the present state of the record", '"Qh3cKb8YdJmW0u1rTzX4vA"'),
  Link: text(
    "The next page, as a relative address; absent on the last",
    '</api/v1/devices?skip=50&limit=50>; rel="next"',
  ),
  Location: text(
    "The address of the created record, as a relative address",
    "/api/v1/groups/0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d",
  ),
  Deprecation: text("When the operation was deprecated (RFC 9745), in seconds since 1970", "@1735689600"),
  Sunset: text("When the operation ends (RFC 8594)", "Thu, 01 Jan 2026 00:00:00 GMT"),
  "Idempotent-Replayed": text("`true` if this is the answer of an earlier request with the same key", "true"),
};
export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/**
 * The headers of requests, by the name of their component. They have no examples: consoles and fuzzers send those
 * unchanged, and a used key or an unknown tag is refused.
 */
const REQUEST_HEADERS = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    description:
      "Executes the request once, however often it is sent within 24 hours: a repetition gets the first answer, or `already_processed` if that contained a one-time secret. A UUID is suitable.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
  IfMatch: {
    name: "If-Match",
    description: "The `ETag` of the copy that you changed: if the record has been changed since, nothing is written",
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    description: "The `ETag` of the copy that you have: if it is still current, the answer is `304` without a body",
    schema: { type: "string" },
  },
  LastEventId: {
    name: "Last-Event-ID",
    description: "The `id` of the last message that you have: the stream continues after it. Absent: from now on",
    schema: { type: "string" },
  },
};
type RequestHeader = keyof typeof REQUEST_HEADERS;

/** Reports whether a GET may be answered with 304. */
export function mayBeUnchanged(route: Route): boolean {
  return route.method === "GET" && showsRecord(route);
}

/** Returns the header parameters of `route`, as references. */
export function headerParameters(route: Route): Json[] {
  const names: RequestHeader[] = [];
  if (takesIdempotencyKey(route)) names.push("IdempotencyKey");
  if (isConditional(route)) names.push("IfMatch");
  if (mayBeUnchanged(route)) names.push("IfNoneMatch");
  if (route.mediaType === "text/event-stream") names.push("LastEventId");
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Returns the headers of every answer of `route` to an authenticated caller. */
export function usualHeaders(route: Route): AnswerHeader[] {
  return route.surface === "public"
    ? ["X-Request-Id", "Cache-Control", "RateLimit", "RateLimit-Policy"]
    : ["X-Request-Id", "Cache-Control"];
}

/** Returns the headers of `route`'s success. */
export function successHeaders(route: Route): AnswerHeader[] {
  const headers = usualHeaders(route);
  if (route.deprecation) headers.push("Deprecation", "Sunset");
  if (showsRecord(route)) headers.push("ETag");
  if (listsPages(route)) headers.push("Link");
  if (makesRecord(route)) headers.push("Location");
  if (takesIdempotencyKey(route) && !route.secret) headers.push("Idempotent-Replayed");
  return headers;
}

/** Returns `names` as references to components. */
export function headerReferences(names: readonly AnswerHeader[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns every header and header parameter; those without a reference are removed afterwards. */
export function headerComponents(): { headers: Json; parameters: Json } {
  const parameters = Object.entries(REQUEST_HEADERS).map(([id, header]) => [id, { in: "header", ...header }]);
  return { headers: ANSWER_HEADERS, parameters: Object.fromEntries(parameters) };
}
