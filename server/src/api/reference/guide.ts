import { SCOPES, type Scope } from "../../access/access.ts";
import { type Html, html, type Part } from "../pages/html.ts";
import { badge, ofSurface, type Section, type Site } from "./layout.ts";
import { DEVICE_PAGE, ERRORS_PAGE, links, operationPage } from "./links.ts";
import { prose } from "./prose.ts";
import { json, sample } from "./samples.ts";

/** The conventions of every operation; their pages do not repeat them (docs/api-conventions.md). */
export const GUIDE: readonly (Section & { body: (site: Site) => Part })[] = [
  {
    id: "authentication",
    title: "Authentication",
    body: () => [
      text(`Every request carries an API key in the header \`X-API-Key\`. An administrator of the tenant creates it; it is shown once. The key determines the tenant: no request names one, and an id of another tenant is answered exactly like an unknown one.

A key ends when it expires or is revoked, or when its creator is deactivated, deleted or has the password reset. From then on every request is \`401 invalid_api_key\`, and reactivating the user does not restore the key.

Checks are made in the order authentication, rate limit, scope, validation, operation. The first that refuses answers.`),
      html`<p>Devices have no key: see <a href="${DEVICE_PAGE}">how a device connects</a>.</p>`,
    ],
  },
  {
    id: "scopes",
    title: "Scopes",
    body: () => [
      text(
        `A key may do only what its scopes permit: \`403 insufficient_scope\` names the missing one. \`write\` does not imply \`read\`. A key can be given \`<resource>:*\` for both; \`provisioning\` and \`device-certificates\` have no such wildcard: each of their scopes is granted by name.`,
      ),
      scopesList(),
    ],
  },
  {
    id: "requests",
    title: "Requests and answers",
    body: () =>
      text(`Bodies are JSON in UTF-8, at most 256 KiB, nested at most 16 deep and not compressed. A field that an operation does not know, or that cannot be written, is \`400 invalid_request\`: a misspelt name is never silently ignored.

A POST that creates something answers \`201\`, a DELETE \`204\` without a body, everything else \`200\`. A PATCH takes a JSON merge patch: absent fields stay unchanged, and \`null\` empties a field that can be empty. Times are UTC as in \`2026-11-20T10:00:00.000Z\`. Ids are opaque: do not parse or build them.

\`HEAD\` works wherever \`GET\` does. Answers of 1 KiB and more are compressed for clients that send \`Accept-Encoding\`, except those that show a secret. Every answer identifies its request in \`X-Request-Id\`; if you send your own (1 to 64 of \`A-Z a-z 0-9 . _ -\`), it is used.`),
  },
  {
    id: "errors",
    title: "Errors",
    body: () => [
      text(
        "Every error has the same body. `error` is the code to program against, `message` is a sentence for people and may change. `middleware` names the layer that refused: `router`, `authentication`, `rate-limit`, `authorization`, `validation` or `handler`. `detail` is the wrong value or field, if there is one.",
      ),
      sample(
        "404",
        json({
          error: "not_found",
          middleware: "handler",
          message: "There is no such device.",
          requestId: "k3vq7xw2n5tbh-2f",
        }),
      ),
      html`<p><a href="${ERRORS_PAGE}">All error codes</a>, each with its remedy.</p>`,
    ],
  },
  {
    id: "rate-limits",
    title: "Rate limits",
    body: () =>
      text(`A key may send 120 requests in any 60 seconds; keys do not share a budget, and refused requests do not count. The next request is \`429 rate_limited\` with \`Retry-After\` in whole seconds. Every answer to an accepted key reports the remaining budget (a \`401\` does not):

\`RateLimit: "key";r=117;t=42\` means 117 requests left, one more after 42 seconds. \`RateLimit-Policy: "key";q=120;w=60\` repeats the rule.`),
  },
  {
    id: "paging",
    title: "Lists and paging",
    body: () => [
      text(
        `A list is newest first, in an order that does not change between pages. \`skip\` and \`limit\` choose the page: integers out of range are clamped to the nearest allowed value, and the answer contains the values used; anything that is not an integer is refused. \`total\` counts the matches on all pages. While there are more, the header \`Link\` with \`rel="next"\` contains the address of the next page, including filters.`,
      ),
      sample("The envelope of every list", json({ items: [], total: 0, skip: 0, limit: 50 })),
    ],
  },
  {
    id: "idempotency",
    title: "Repeating a POST safely",
    body: () =>
      text(`Send a POST with an \`Idempotency-Key\` of your choice (1 to 255 visible ASCII characters, for example a UUID), and repeat it with the same key if the connection broke or the answer was a \`5xx\`. Within 24 hours the same request with the same key is executed once: a repetition gets the first answer, with \`Idempotent-Replayed: true\`.

Another request with a used key is \`422 idempotency_key_reused\`. An answer with a one-time secret, such as a claim code or a private key, is never stored: its repetition is \`409 already_processed\`, and \`resourceId\` names the record that the first request created.

GET, PUT, PATCH and DELETE take no key, and may be repeated: executed twice they have the same effect as once, unless another client wrote in between. With \`If-Match\` the repetition of a change that did arrive can be \`412 precondition_failed\`, since that change altered the record: read it again to see the result of the first request.`),
  },
  {
    id: "concurrency",
    title: "Concurrent changes",
    body: () =>
      text(`A record that is read or written by its own address comes with an \`ETag\`. Send it back as \`If-Match\` with a PUT or PATCH (\`$ETAG\` in the samples), and the write is executed only if the record has not changed since; otherwise it is \`412 precondition_failed\`. Fields that the device itself changes, such as its connectivity, do not count.

With \`If-None-Match\` a GET of a record that you already have is \`304\`, without a body.`),
  },
  {
    id: "browsers",
    title: "Calls from web pages",
    body: () =>
      text(
        "An API key belongs on a server. Pages of other origins cannot read any answer, unless the operator of the service has listed their origin (CORS, `MUSTER_CORS_ORIGINS`).",
      ),
  },
  {
    id: "versions",
    title: "Versions",
    body: () =>
      text(
        "The version is in the path: `/api/v1`. Within it, fields and operations may be added, so ignore unknown fields. The device-facing endpoints have no version, because firmware outlives servers.",
      ),
  },
  {
    id: "openapi",
    title: "OpenAPI",
    body: () => html`<p>This reference is generated from the OpenAPI 3.1 descriptions that the service itself serves. Generate a client from them:</p>
<ul>
<li><a href="/openapi/public.json">/openapi/public.json</a>: the public API</li>
<li><a href="/openapi/device.json">/openapi/device.json</a>: the device-facing endpoints</li>
</ul>`,
  },
];

function text(words: string): Html[] {
  return prose(words, links);
}

function scopesList(): Html {
  return html`<dl class="facts scopes">${SCOPES.map((scope) => html`<div><dt><code>${scope}</code></dt><dd>${allowed(scope)}</dd></div>\n`)}</dl>`;
}

function allowed(scope: Scope): Html {
  const operations = ofSurface("public").filter((route) => route.surface === "public" && route.scope === scope);
  const entries = operations.map(
    (route) => html`<li><a href="${operationPage(route)}">${badge(route)} <span>${route.summary}</span></a></li>\n`,
  );
  return html`<ul class="operations">${entries}</ul>`;
}
