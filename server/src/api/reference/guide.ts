import { SCOPES, type Scope } from "../../access/access.ts";
import { type Html, html, type Part } from "../pages/html.ts";
import { badge, ofSurface, type Section, type Site } from "./layout.ts";
import { DEVICE_PAGE, ERRORS_PAGE, links, operationPage } from "./links.ts";
import { prose } from "./prose.ts";
import { json, sample } from "./samples.ts";

/** What applies to every operation; their pages do not repeat it (docs/api-conventions.md). */
export const GUIDE: readonly (Section & { body: (site: Site) => Part })[] = [
  {
    id: "authentication",
    title: "Authentication",
    body: () => [
      text(`Every request carries an API key in the header \`X-API-Key\`. An administrator of the tenant makes it; it is shown once. The key decides the tenant: no request names one, and an id of another tenant is answered exactly like one that exists nowhere.

A key ends when it expires or is revoked, and together with its creator: when that user is deactivated, deleted or has the password reset. From then on every request is \`401 invalid_api_key\`, and reactivating the user does not bring the key back.

Checks are made in the order authentication, rate limit, scope, validation, operation. The first that refuses answers.`),
      html`<p>Devices have no key: see <a href="${DEVICE_PAGE}">how a device connects</a>.</p>`,
    ],
  },
  {
    id: "scopes",
    title: "Scopes",
    body: () => [
      text(
        `A key may do what its scopes say, and nothing else: \`403 insufficient_scope\` names the one that is missing. \`write\` does not imply \`read\`. A key can be given \`<resource>:*\` for both; \`provisioning\` and \`device-certificates\` have no such wildcard, each of their scopes is granted by name.`,
      ),
      scopesList(),
    ],
  },
  {
    id: "requests",
    title: "Requests and answers",
    body: () =>
      text(`Bodies are JSON in UTF-8, at most 256 KiB, nested at most 16 deep and not compressed. A field that an operation does not know, or that cannot be written, is \`400 invalid_request\`: a misspelt name never passes in silence.

A POST that creates something answers \`201\`, a DELETE \`204\` without a body, everything else \`200\`. A PATCH takes a JSON merge patch: what is absent stays as it is, \`null\` empties what can be empty. Times are UTC as in \`2026-11-20T10:00:00.000Z\`. Ids are to be taken as they are: do not parse or build them.

\`HEAD\` works wherever \`GET\` does. Answers of 1 KiB and more are compressed for clients that send \`Accept-Encoding\`, except those that show a secret. Every answer names its request in \`X-Request-Id\`; send one of your own (1 to 64 of \`A-Z a-z 0-9 . _ -\`) and it is used.`),
  },
  {
    id: "errors",
    title: "Errors",
    body: () => [
      text(
        "Every error has the same body. `error` is the code to program against, `message` is a sentence for people and may change. `middleware` names the layer that refused: `router`, `authentication`, `rate-limit`, `authorization`, `validation` or `handler`. `detail` is the value or the field that is wrong, where there is one.",
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
      html`<p><a href="${ERRORS_PAGE}">All error codes</a>, each with what to do about it.</p>`,
    ],
  },
  {
    id: "rate-limits",
    title: "Rate limits",
    body: () =>
      text(`Any 60 seconds admit 120 requests of a key; keys do not share a budget, and refused requests do not count. The next is \`429 rate_limited\` with \`Retry-After\` in whole seconds. Every answer to a key that was accepted says where you stand (a \`401\` does not):

\`RateLimit: "key";r=117;t=42\` means 117 requests left, one more after 42 seconds. \`RateLimit-Policy: "key";q=120;w=60\` repeats the rule.`),
  },
  {
    id: "paging",
    title: "Lists and paging",
    body: () => [
      text(
        `A list is newest first, in an order that does not change between pages. \`skip\` and \`limit\` choose the page: integers out of range are set to the nearest that is allowed, and the answer says what was used; anything that is not an integer is refused. \`total\` counts what matches on all pages. While there are more, the header \`Link\` with \`rel="next"\` holds the address of the next page, filters included.`,
      ),
      sample("The envelope of every list", json({ items: [], total: 0, skip: 0, limit: 50 })),
    ],
  },
  {
    id: "idempotency",
    title: "Repeating a POST safely",
    body: () =>
      text(`Give a POST an \`Idempotency-Key\` of your own making (1 to 255 visible ASCII characters; a UUID is good), and repeat it with the same key when the connection broke or the answer was a \`5xx\`. Within 24 hours the same request under the same key is carried out once: a repetition gets the first answer, with \`Idempotent-Replayed: true\`.

Another request under a used key is \`422 idempotency_key_reused\`. An answer with a one-time secret, such as a claim code or a private key, is never kept: its repetition is \`409 already_processed\`, and \`resourceId\` says what the first request made.

GET, PUT, PATCH and DELETE take no key, and may be repeated: carried out twice they leave what once leaves, unless another client wrote in between. With \`If-Match\` the repetition of a change that did arrive can be \`412 precondition_failed\`, since the record has changed with it: read it again, it shows the result of the first.`),
  },
  {
    id: "concurrency",
    title: "Changes at the same time",
    body: () =>
      text(`A record that is read or written by its own address comes with an \`ETag\`. Send it back as \`If-Match\` with a PUT or PATCH (\`$ETAG\` in the samples), and the write is done only if the record has not changed since; otherwise it is \`412 precondition_failed\`. What a record shows of a device's life, such as its connectivity, does not count as a change.

With \`If-None-Match\` a GET of what you have already is \`304\`, without a body.`),
  },
  {
    id: "browsers",
    title: "Calls from web pages",
    body: () =>
      text(
        "An API key belongs on a server. Pages of other origins may read no answer, unless the operator of the service has listed their origin (CORS, `MUSTER_CORS_ORIGINS`).",
      ),
  },
  {
    id: "versions",
    title: "Versions",
    body: () =>
      text(
        "The version is in the path: `/api/v1`. Within it, fields and operations may be added, so ignore fields that you do not know. The device-facing endpoints have no version: firmware outlives servers.",
      ),
  },
  {
    id: "openapi",
    title: "OpenAPI",
    body: () => html`<p>This reference is made from the OpenAPI 3.1 descriptions that the service itself serves. Make a client from them:</p>
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
