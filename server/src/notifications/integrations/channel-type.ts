import type { Notice } from "./notice.ts";

/** A setting of a channel type. The app builds its form from these. */
export interface Field {
  name: string;
  kind: "url" | "line" | "text" | "choice";
  required: boolean;
  /** Whether it is sealed under the master key, and never shown again. */
  secret: boolean;
  choices?: readonly string[];
  /** The value of an empty field. */
  fallback?: string;
  /** An example, shown in the empty field of the form. */
  example?: string;
}

export type Settings = Readonly<Record<string, string>>;

/** An HTTPS request. The guard of outgoing requests checks its host (lib/outgoing/resolve-target.ts). */
export interface OutgoingRequest {
  method: "POST" | "PUT" | "PATCH";
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The answer of a service. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/**
 * `sent`: it arrived. `retry`: a later attempt may succeed. `final`: this message cannot be sent. `gone`: the service
 * accepts nothing with these settings, so the channel must be confirmed again.
 */
export type Verdict = "sent" | "retry" | "final" | "gone";

/** A chat or paging service to which groups send. */
export interface ChannelType {
  /** The name of the service, as people know it. */
  label: string;
  fields: readonly Field[];
  /** Checks what the fields alone do not. @returns the invalid field and what it must be */
  validate?(settings: Settings): { field: string; must: string } | undefined;
  /** Renders a notice within the limits of the service. Text of users and devices is inert in it. */
  request(notice: Notice, settings: Settings): OutgoingRequest;
  /** Classifies answers that differ from {@link usualVerdict}. */
  verdict?(answer: Answer): Verdict | undefined;
}

/** Classifies an answer by its status: 2xx is sent; 401, 403, 404 and 410 end the channel; 429 and 5xx pass. */
export function usualVerdict({ status }: Answer): Verdict {
  if (status >= 200 && status < 300) return "sent";
  if (status === 401 || status === 403 || status === 404 || status === 410) return "gone";
  return status === 408 || status === 429 || status >= 500 ? "retry" : "final";
}

/** Builds a POST of JSON. */
export function postJson(url: string, body: object, headers: Readonly<Record<string, string>> = {}): OutgoingRequest {
  const json = { "content-type": "application/json; charset=utf-8" };
  return { method: "POST", url, headers: { ...json, ...headers }, body: JSON.stringify(body) };
}

/** Shortens a text to `most` UTF-16 units, without splitting a character. */
export function shorten(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}

/** Shortens a text to `most` octets of UTF-8. */
export function shortenOctets(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let kept = shorten(text, most);
  while (Buffer.byteLength(kept) > most) kept = shorten(kept, Math.floor(kept.length * 0.9));
  return kept;
}

/** Puts a zero-width space behind every `@`, so that no service makes a mention of it. */
export function withoutMentions(text: string): string {
  return text.replaceAll("@", "@\u200b");
}

/** Returns the notice as plain lines, for services without fields. */
export function plainLines({ text, facts }: Notice): string {
  return [...(text ? [text] : []), ...facts.map(([name, value]) => `${name}: ${value}`)].join("\n");
}

export const WEBHOOK_URL: Field = { name: "webhookUrl", kind: "url", required: true, secret: true };
