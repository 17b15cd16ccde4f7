import { createHash } from "node:crypto";
import { adminUseCase, type PreparedChange, useCase } from "../../access/access.ts";
import { MINUTE } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import { type ScimDeps, scimBase } from "../deps.ts";
import { listMappings, type MappedGroup } from "../groups/mapping-store.ts";
import type { Provisioner } from "../provisioner.ts";
import { deleteToken, findHolder, findToken, recordTokenUse, replaceToken } from "./token-store.ts";

/** The provisioning of a tenant as its admins see it. */
export interface Provisioning {
  /** The address of the SCIM API. */
  url: string;
  token: {
    id: string;
    createdAt: Date;
    createdBy: string;
    lastUsedAt: Date | null;
    lastUsedAddress: string | null;
  } | null;
  /** The groups of the provider, and what they stand for here. */
  groups: MappedGroup[];
}

export const getProvisioning = useCase(
  { role: "admin" },
  async (deps: ScimDeps, { tenantId }): Promise<Provisioning> => {
    const { db } = deps.database;
    const row = await findToken(db, tenantId);
    const token = row && {
      id: row.id,
      createdAt: row.created_at,
      createdBy: row.created_by,
      lastUsedAt: row.last_used_at,
      lastUsedAddress: row.last_used_address,
    };
    return { url: scimBase(deps), token: token ?? null, groups: await listMappings(db, tenantId) };
  },
);

/** The prefix by which scanners recognize a token that leaked. */
const PREFIX = "mstrscim_";
const SHAPE = /^mstrscim_[\w-]{43}$/;

/** Makes the provisioning token of the tenant, which only this response shows; it replaces a former one. */
export const createScimToken = adminUseCase(
  { role: "admin" },
  "scim-token.create",
  async (deps: ScimDeps, caller): Promise<PreparedChange<{ id: string; token: string; url: string }>> => ({
    change: async (tx) => {
      const now = deps.clock.now();
      const token = `${PREFIX}${deps.ids.bytes(32).toString("base64url")}`;
      const id = deps.ids.uuid(now);
      const made = { id, hash: hashOf(token), createdBy: caller.actor, now };
      const replaced = await replaceToken(tx, caller.tenantId, made);
      const after = { id, ...(replaced !== undefined && { replaced }) };
      return { target: id, after, result: { id, token, url: scimBase(deps) } };
    },
  }),
);

/** Ends provisioning: the token stops immediately. Users and groups stay. @throws MusterError not_found */
export const deleteScimToken = adminUseCase(
  { role: "admin" },
  "scim-token.delete",
  async (_deps: ScimDeps, caller, id: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      if (!isUuid(id) || !(await deleteToken(tx, caller.tenantId, id))) throw notFound("token");
      return { target: id, before: { id }, result: undefined };
    },
  }),
);

/** Returns the holder of a token, which every request looks up, so that a token stops in every process at once. */
export async function provisionerOf(
  { database, clock }: ScimDeps,
  token: string,
  address: string,
): Promise<Provisioner | undefined> {
  const found = SHAPE.test(token) ? await findHolder(database.db, hashOf(token)) : undefined;
  if (!found) return undefined;
  const { id, tenantId, tenantSlug, lastUsedAt } = found;
  const now = clock.now();
  if (!lastUsedAt || now.getTime() - lastUsedAt.getTime() >= MINUTE)
    await recordTokenUse(database.db, id, now, address);
  return { tenantId, tenantSlug, actor: `scim:${id}`, address };
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
