import { hash } from "node:crypto";
import { Refusal } from "../problem.ts";

const ENTITY_TAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the entity tag of an answered record (RFC 9110 8.8.3): `"<state>"`, or `"<state>.<rest>"` if some fields
 * (`volatile`) change without a write. A change of any field changes the tag; a write is conditional on the state
 * alone, so that a device's heartbeat does not make an editor's copy stale.
 */
export function entityTag(record: object, volatile: readonly string[] = []): string {
  if (volatile.length === 0) return `"${digest(record)}"`;
  const state: Record<string, unknown> = { ...(record as Fields) };
  const rest: unknown[] = [];
  for (const field of volatile) {
    rest.push(state[field]);
    delete state[field];
  }
  return `"${digest(state)}.${digest(rest)}"`;
}

function digest(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url").slice(0, 22);
}

/**
 * Returns the condition that `If-Match` and `If-None-Match` put on a write; `undefined` without these headers. Weak
 * tags never match `If-Match` (RFC 9110 13.1.1).
 *
 * @throws Refusal invalid_request if `If-Match` contains no entity tags: 412 would suggest repeating the request
 */
export function precondition(
  headers: { "if-match"?: string | undefined; "if-none-match"?: string | undefined },
  volatile: readonly string[] = [],
): ((record: object) => boolean) | undefined {
  const { "if-match": wanted, "if-none-match": unwanted } = headers;
  if (wanted === undefined && unwanted === undefined) return undefined;
  const has = wanted === undefined ? () => true : stateIn(wanted);
  return (record) => {
    const tag = entityTag(record, volatile);
    return has(tag) && !noneMatch(unwanted, tag);
  };
}

function stateIn(header: string): (tag: string) => boolean {
  if (header.trim() === "*") return () => true;
  const tags = listed(header);
  if (!tags.every((tag) => ENTITY_TAG.test(tag))) {
    throw new Refusal("invalid_request", 'If-Match takes entity tags exactly as in ETag, with their quotes, or "*"', {
      middleware: "validation",
      detail: "If-Match",
    });
  }
  const states = new Set(tags.map(stateOf));
  return (tag) => states.has(stateOf(tag));
}

/**
 * Reports whether `If-None-Match` names `tag`, compared weakly: the client already has this answer (RFC 9110 13.1.2).
 */
export function noneMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || listed(header.replaceAll("W/", "")).includes(tag);
}

function listed(header: string): string[] {
  return header.split(",").map((tag) => tag.trim());
}

/** Returns the part of a strong tag that names the state; `undefined` for weak and malformed tags. */
function stateOf(tag: string): string | undefined {
  return /^"([^".]+)(?:\.[^"]*)?"$/.exec(tag)?.[1];
}
