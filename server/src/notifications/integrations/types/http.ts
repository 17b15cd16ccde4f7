import { type ChannelType, type Field, plainLines, type Settings } from "../channel-type.ts";
import type { Notice } from "../notice.ts";

const METHODS = ["POST", "PUT", "PATCH"] as const;
const DEFAULT_BODY =
  '{"kind": "{{kind}}", "title": "{{title}}", "text": "{{text}}", "url": "{{url}}", "key": "{{key}}"}';
/** Headers that the client or the connection sets. */
const RESERVED = /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive)$/i;

/** The most variables in a template: each may be some kilobytes, in every message. */
const MOST_VARIABLES = 50;

/** The variables of a template. */
function variables(notice: Notice): Record<string, string> {
  const { device, group, key, kind, link, severity, since, title } = notice;
  const of = { kind, title, severity, key, since, group, url: link.url, text: plainLines(notice) };
  return { ...of, deviceId: device?.id ?? "", deviceName: device?.name ?? "" };
}

const NAMES = ["kind", "title", "severity", "key", "since", "group", "url", "text", "deviceId", "deviceName"];

/**
 * Replaces the variables of a template, which has no logic. In JSON a value is escaped to stay inside its string, in a
 * form it is percent-encoded, and elsewhere it stays one line.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>, contentType: string): string {
  const encode = /json/i.test(contentType)
    ? (value: string) => JSON.stringify(value).slice(1, -1)
    : /x-www-form-urlencoded/i.test(contentType)
      ? encodeURIComponent
      : (value: string) => value.replace(/[\r\n]+/g, " ").replace(/[<>&]/g, " ");
  return template.replace(/\{\{\s*([A-Za-z]+)\s*\}\}/g, (_, name: string) => encode(values[name] ?? ""));
}

/** @returns the headers, or `undefined` for an invalid line */
function headersOf(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const [, name, value] = /^([A-Za-z0-9-]+):[ \t]*([\x20-\x7e]*)$/.exec(line.trim()) ?? [];
    if (name === undefined || RESERVED.test(name)) return undefined;
    headers[name.toLowerCase()] = value!;
  }
  return headers;
}

function invalid({ headers, body }: Settings): { field: string; must: string } | undefined {
  const parsed = headersOf(headers ?? "");
  if (!parsed) return { field: "headers", must: "be lines `Name: value`, without those of the connection" };
  const used = [...body!.matchAll(/\{\{([^}]*)\}\}/g)];
  if (used.length > MOST_VARIABLES) return { field: "body", must: `use at most ${MOST_VARIABLES} variables` };
  const unknown = used.find(([, name]) => !NAMES.includes(name!.trim()));
  if (unknown) return { field: "body", must: `use the variables ${NAMES.join(", ")}` };
  if (!/json/i.test(parsed["content-type"] ?? "json")) return undefined;
  const tried = fillTemplate(body!, Object.fromEntries(NAMES.map((name) => [name, "1"])), "json");
  return isJson(tried) ? undefined : { field: "body", must: "be valid JSON" };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const line = (name: string, more: Partial<Field>): Field => ({
  ...{ name, kind: "line", required: false, secret: false },
  ...more,
});

/** Any HTTPS interface: method, headers and body of the tenant's own, with variables as in Mustache. */
export const http: ChannelType = {
  label: "HTTP",
  fields: [
    line("url", { kind: "url", required: true, secret: true, example: "https://desk.example/api/alerts" }),
    line("method", { kind: "choice", choices: METHODS, fallback: "POST" }),
    line("headers", { kind: "text", secret: true, example: "Authorization: Bearer …" }),
    line("body", { kind: "text", fallback: DEFAULT_BODY }),
  ],
  validate: invalid,
  request(notice, { url, method, headers, body }) {
    const own = { "content-type": "application/json", ...headersOf(headers ?? "") };
    const filled = fillTemplate(body!, variables(notice), own["content-type"]);
    return { method: method as (typeof METHODS)[number], url: url!, headers: own, body: filled };
  },
};
