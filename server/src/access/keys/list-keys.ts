import { type AdminAct, type ApiWrite, findKeyEnds, listApiWrites } from "../../audit/audit.ts";
import { isUuid } from "../../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import { ownKeyOf, type Role } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { useCase } from "../use-case.ts";
import { findKeyRow, hasKey, type KeyFilter, type KeyRow, listKeyRows } from "./key-store.ts";
import { ineffectiveScopes } from "./scope-roles.ts";

/** A key without its secret. */
export interface KeyRecord {
  id: string;
  name: string;
  scopes: string[];
  /** Scopes that have no effect while the owner has the current role, with wildcards expanded. */
  ineffectiveScopes: string[];
  /** The e-mail address of its owner, or the name of the service account. */
  user: string;
  userId: string;
  ownerKind: KeyRow["kind"];
  /** The owner's current role. */
  ownerRole: Role;
  createdAt: Date;
  expiresAt: Date | null;
  /** The key that a rotation replaced by this one, and the key that replaced this one. */
  replaces: string | null;
  replacedBy: string | null;
  lastUsedAt: Date | null;
  lastUsedAddress: string | null;
  revokedAt: Date | null;
  revokedBy: string | null;
  revocationReason: KeyRow["revocation_reason"];
  /** The administrative act that revoked it: a revocation, or a change of its owner. `null` if none is recorded. */
  endedBy: { id: string; act: string; actor: string; at: Date; target: string } | null;
}

/** A key as its holder sees it. */
export type OwnKey = Pick<
  KeyRecord,
  "id" | "name" | "scopes" | "ineffectiveScopes" | "createdAt" | "expiresAt" | "replaces" | "replacedBy"
>;

export type KeyQuery = KeyFilter & PageRequest;

/** Lists every API key that the tenant ever had, including ended keys, newest first. */
export const listKeys = useCase(
  { scope: "users:read", role: "admin" },
  async ({ database: { db }, clock }: AccessDeps, { tenantId }, query: KeyQuery): Promise<Page<KeyRecord>> => {
    const [page, filter] = splitPage(query);
    const { skip, limit } = page;
    if (filter.userId !== undefined && !isUuid(filter.userId)) return { items: [], total: 0, skip, limit };
    const { rows, total } = await listKeyRows(db, tenantId, filter, page, clock.now());
    const ended = rows.filter(({ revoked_at }) => revoked_at !== null);
    const targets = new Set(ended.flatMap(({ id, user_id }) => [id, user_id]));
    const acts = await findKeyEnds(db, tenantId, [...targets]);
    return { items: rows.map((row) => toKeyRecord(row, acts)), total, skip, limit };
  },
);

/** Returns the key of the request, without what only admins may know. */
export const getOwnKey = useCase(
  { scope: "own-key:read" },
  async ({ database: { db } }: AccessDeps, caller): Promise<OwnKey> => {
    const row = await findKeyRow(db, caller.tenantId, ownKeyOf(caller));
    if (!row) throw notFound("API key");
    const { id, name, scopes, ineffectiveScopes, createdAt, expiresAt, replaces, replacedBy } = toKeyRecord(row, []);
    return { id, name, scopes, ineffectiveScopes, createdAt, expiresAt, replaces, replacedBy };
  },
);

/** Lists the writes made with a key, newest first; reads are not recorded. @throws MusterError not_found */
export const listKeyWrites = useCase(
  { role: "admin" },
  async ({ database: { db } }: AccessDeps, { tenantId }, id: string, page: PageRequest): Promise<Page<ApiWrite>> => {
    if (id.includes("\0") || !(await hasKey(db, tenantId, id))) throw notFound("API key");
    return await listApiWrites(db, tenantId, { ...page, keyId: id });
  },
);

function toKeyRecord(row: KeyRow, acts: readonly AdminAct[]): KeyRecord {
  const end = row.revoked_at && acts.find((act) => hasEnded(act, row));
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    ineffectiveScopes: ineffectiveScopes(row.scopes, row.role),
    user: row.owner,
    userId: row.user_id,
    ownerKind: row.kind,
    ownerRole: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    replaces: row.replaces,
    replacedBy: row.replaced_by,
    lastUsedAt: row.last_used_at,
    lastUsedAddress: row.last_used_address,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
    revocationReason: row.revocation_reason,
    endedBy: end ? { id: end.id, act: end.act, actor: end.actor, at: end.at, target: end.target } : null,
  };
}

function hasEnded({ act, target, after }: AdminAct, { id }: KeyRow): boolean {
  if (act === "key.revoke") return target === id;
  const { revokedKeys } = (after ?? {}) as { revokedKeys?: unknown };
  return Array.isArray(revokedKeys) && revokedKeys.includes(id);
}
