import { hash } from "node:crypto";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The entity tag of a record as it is answered (RFC 9110 8.8.3): `"<state>"`, or `"<state>.<rest>"` where some fields change
 * without anybody writing them (`volatile`). A change of any field changes the tag; a write is conditional on the state alone,
 * so that a device's heartbeat does not make an editor's copy stale.
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
 * What `If-Match` asks of a record; `undefined` when the header is missing. Weak tags never match (RFC 9110 13.1.1).
 */
export function ifMatch(
  header: string | undefined,
  volatile: readonly string[] = [],
): ((record: object) => boolean) | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === "*") return () => true;
  const states = new Set(listed(header).map(stateOf));
  states.delete(undefined);
  return (record) => states.has(stateOf(entityTag(record, volatile)));
}

/** Whether `If-None-Match` names `tag`, compared weakly: the client has this answer already (RFC 9110 13.1.2). */
export function noneMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || listed(header.replaceAll("W/", "")).includes(tag);
}

function listed(header: string): string[] {
  return header.split(",").map((tag) => tag.trim());
}

/** The part of a strong tag that names the state; `undefined` for a weak tag and for what is none. */
function stateOf(tag: string): string | undefined {
  return /^"([^".]+)(?:\.[^"]*)?"$/.exec(tag)?.[1];
}
