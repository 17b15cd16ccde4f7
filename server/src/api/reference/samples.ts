import { type Html, html } from "../pages/html.ts";
import type { ReferenceRoute } from "../route.ts";
import { routes } from "../routes.ts";
import type { Described } from "./document.ts";

/** Returns a block of text to read or copy; long lines scroll inside it, also by keyboard. */
export function sample(title: string, content: Html | string): Html {
  return html`<figure class="sample"><figcaption>${title}</figcaption><pre tabindex="0"><code>${content}</code></pre></figure>`;
}

/** Returns indented JSON with its tokens marked for colours. */
export function json(value: unknown): Html {
  return jsonPart(value, "");
}

function jsonPart(value: unknown, indent: string): Html {
  if (value === null || typeof value !== "object") {
    const kind = typeof value === "string" ? "string" : "literal";
    return html`<span class="${kind}">${JSON.stringify(value)}</span>`;
  }
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Object.entries(value).map(([name, each]) => {
    const label = Array.isArray(value) ? undefined : html`<span class="name">${JSON.stringify(name)}</span>: `;
    return html`${label}${jsonPart(each, inner)}`;
  });
  if (parts.length === 0) return html`${open}${close}`;
  const lines = parts.map((part, at) => html`${inner}${part}${at < parts.length - 1 && ","}\n`);
  return html`${open}\n${lines}${indent}${close}`;
}

/** Returns the request as a curl command for a shell. */
export function curl(route: ReferenceRoute, described: Described, baseUrl: string): string {
  const { parameters = [] } = described.operation(route);
  const lines = [
    `curl ${route.mediaType ? "-N " : ""}${method(route)}${quoted(baseUrl + address(route))}`,
    ...credential(route),
  ];
  if (parameters.some((each) => described.resolve(each).name === "Idempotency-Key")) {
    lines.push('-H "Idempotency-Key: $(uuidgen)"');
  }
  if (parameters.some((each) => described.resolve(each).name === "If-Match")) {
    lines.push('-H "If-Match: $ETAG"');
  }
  if (route.examples.body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(indented(route.examples.body))}`);
  }
  return lines.join(" \\\n  ");
}

function method({ method: name, examples }: ReferenceRoute): string {
  return name === "GET" || (name === "POST" && examples.body !== undefined) ? "" : `-X ${name} `;
}

/**
 * Returns the credential: an API key, or the device's certificate if an error code of the operation shows that it is
 * verified.
 */
function credential({ surface, errors }: ReferenceRoute): string[] {
  if (surface === "public") return ['-H "X-API-Key: $MUSTER_API_KEY"'];
  return errors.includes("cert_invalid") ? ["--cert fullchain.pem --key key.pem"] : [];
}

/** Returns the path with the ids of the examples, and the query that the operation needs. */
function address(route: ReferenceRoute): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleId(route, name)));
  const { query } = route.examples;
  return query ? `${path}?${new URLSearchParams(query)}` : path;
}

/** Returns the id in the example answer of this operation, or of the one that reads this address. */
function exampleId(route: ReferenceRoute, name: string): string {
  const end = route.path.indexOf(`{${name}}`);
  const around = routes.filter(({ path }) => path.startsWith(route.path.slice(0, end - 1)));
  const shown = [route, ...around].map(({ examples }) => examples.response as Example | undefined);
  const ids = shown.map((example) => example?.items?.[0]?.id ?? example?.id);
  return ids.find((id) => typeof id === "string") ?? name.toUpperCase();
}

interface Example {
  id?: string;
  items?: { id?: string }[];
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
}

/** Quotes text for a POSIX shell: in single quotes, unless every character is harmless. */
function quoted(text: string): string {
  if (/^[\w:/.%~-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
