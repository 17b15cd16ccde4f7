import { createHash } from "node:crypto";
import { preconditionFailed } from "../lib/request-errors.ts";
import type { Filter } from "./protocol/filter.ts";

/** A resource as answers show it. */
export interface Resource {
  schemas: string[];
  id: string;
  meta: { resourceType: string; created: Date; lastModified: Date; location: string; version: string };
  [attribute: string]: unknown;
}

/** One page of a list; `startIndex` counts from 1 (RFC 7644 3.4.2.4). */
export interface ListQuery {
  filter?: Filter | undefined;
  startIndex: number;
  count: number;
}

export interface Listed {
  totalResults: number;
  resources: Resource[];
}

/** Adds the metadata of a resource; its version is a hash of its content (RFC 7644 3.14). */
export function withMeta(
  content: Record<string, unknown> & { schemas: string[]; id: string },
  { kind, base, created, modified }: { kind: "User" | "Group"; base: string; created: Date; modified: Date },
): Resource {
  const version = `W/"${createHash("sha256").update(JSON.stringify(content)).digest("base64url").slice(0, 22)}"`;
  const location = `${base}/${kind}s/${content.id}`;
  return { ...content, meta: { resourceType: kind, created, lastModified: modified, location, version } };
}

/** The version that a conditional request names, `*` for any. @throws MusterError precondition_failed */
export function requireVersion({ meta: { version } }: Resource, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === "*") return;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  if (!ifMatch.split(",").map(opaque).includes(opaque(version))) throw preconditionFailed();
}
