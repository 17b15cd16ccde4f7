import type { Role } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { IdentityDeps } from "../deps.ts";
import { linkExpired } from "../errors.ts";
import { isToken, makeToken, tokenHash } from "../tokens.ts";
import { findLink, type LinkPurpose, type LinkRow, replaceLink, takeLink } from "./link-store.ts";

/** A new link as its author receives it. The token is in the URL's fragment, which no server and no log sees. */
export interface NewLink {
  id: string;
  url: string;
  createdAt: Date;
  expiresAt: Date;
}

const MINUTES = { setup: "setupLinkMinutes", invite: "inviteMinutes", reset: "resetLinkMinutes" } as const;

/** Makes a link that replaces the former one of its kind. */
export async function makeLink(
  { ids, clock, limits, baseUrl }: Pick<IdentityDeps, "ids" | "clock" | "limits" | "baseUrl">,
  tx: Tx,
  of: {
    purpose: LinkPurpose;
    createdBy: string;
    tenantId?: string;
    userId?: string;
    email?: string;
    role?: Role;
    groupIds?: string[];
  },
): Promise<NewLink> {
  const now = clock.now();
  const token = makeToken(ids);
  const link = { id: ids.uuid(now), createdAt: now, expiresAt: addMs(now, limits[MINUTES[of.purpose]] * MINUTE) };
  await replaceLink(tx, {
    id: link.id,
    purpose: of.purpose,
    token_sha256: tokenHash(token),
    tenant_id: of.tenantId ?? null,
    user_id: of.userId ?? null,
    email: of.email ?? null,
    role: of.role ?? null,
    group_ids: of.groupIds ?? [],
    created_by: of.createdBy,
    created_at: now,
    expires_at: link.expiresAt,
  });
  return { ...link, url: `${baseUrl()}/${of.purpose}#${token}` };
}

/** Returns a link that can still be used. @throws MusterError link_expired */
export async function openLink(deps: IdentityDeps, purpose: LinkPurpose, token: string): Promise<LinkRow> {
  const link = isToken(token) && (await findLink(deps.database.db, key(deps, purpose, token)));
  if (!link) throw linkExpired(purpose);
  return link;
}

/** Uses a link, in the transaction of its purpose. @throws MusterError link_expired */
export async function useLink(deps: IdentityDeps, tx: Tx, purpose: LinkPurpose, token: string): Promise<LinkRow> {
  const link = await takeLink(tx, key(deps, purpose, token));
  if (!link) throw linkExpired(purpose);
  return link;
}

function key({ clock }: IdentityDeps, purpose: LinkPurpose, token: string) {
  return { purpose, tokenSha256: tokenHash(token), now: clock.now() };
}
