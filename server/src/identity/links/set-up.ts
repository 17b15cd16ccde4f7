import { addUser, checkEmail, createTenantIn, findTenant, hasUsers, soleTenant } from "../../access/access.ts";
import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { hasProviderOn } from "../credential-rule-store.ts";
import type { IdentityDeps } from "../deps.ts";
import { linkExpired } from "../errors.ts";
import { openSession } from "../open-session.ts";
import { hashChosen } from "../password-rules.ts";
import type { SignedIn, Visit } from "../session.ts";
import { remembered } from "../sign-in.ts";
import { makeLink, openLink, useLink } from "./links.ts";

export interface SetUp extends Visit {
  token: string;
  /** The tenant's name; name and slug are optional if there is a tenant already. */
  tenantName?: string | undefined;
  tenantSlug?: string | undefined;
  email: string;
  password: string;
}

/** The facts about the service that the pages without a session need. */
export interface SetUpState {
  /** Whether there is still no user. */
  open: boolean;
  /** Whether links can be mailed. */
  mail: boolean;
  /** Whether the identity provider of a tenant is on. */
  singleSignOn: boolean;
}

export async function setUpState({ database: { db }, mail }: IdentityDeps): Promise<SetUpState> {
  return { open: !(await hasUsers(db)), mail: mail.configured, singleSignOn: await hasProviderOn(db) };
}

/**
 * Makes the link with which the first admin sets up the service; it replaces a former one.
 *
 * @throws MusterError invalid_request
 */
export async function makeSetUpLink(deps: IdentityDeps): Promise<{ url: string; expiresAt: Date }> {
  const made = await inTransaction(deps.database.db, async (tx) => {
    if (await hasUsers(tx)) throw invalidRequest("The service has users already: add one with muster user create.");
    const { url, expiresAt } = await makeLink(deps, tx, { purpose: "setup", createdBy: "system" });
    return { url, expiresAt };
  });
  await linkEnded(deps);
  return made;
}

async function linkEnded({ setUpLinkEnded, logger }: IdentityDeps): Promise<void> {
  await setUpLinkEnded?.().catch((error: Error) => {
    logger.warn({ err: error.message }, "could not remove the file of the former set-up link");
  });
}

/** Makes the link for a service that has neither tenant nor user; returns `undefined` otherwise. */
export async function firstSetUpLink(deps: IdentityDeps): Promise<{ url: string; expiresAt: Date } | undefined> {
  const { db } = deps.database;
  if ((await soleTenant(db)) !== undefined || (await hasUsers(db))) return undefined;
  return await makeSetUpLink(deps);
}

/**
 * Creates the tenant and its first admin, who also runs the installation, and begins a session.
 *
 * @throws MusterError link_expired, invalid_request, already_exists, rate_limited
 */
export async function setUp(deps: IdentityDeps, { token, password, ...input }: SetUp): Promise<SignedIn> {
  await openLink(deps, "setup", token);
  const email = checkEmail(input.email);
  const passwordHash = await hashChosen(deps, password, email);
  const opened = await inTransaction(deps.database.db, async (tx) => {
    await useLink(deps, tx, "setup", token);
    if (await hasUsers(tx)) throw linkExpired("setup");
    const tenantId = await tenantFor(deps, tx, input);
    const userId = await addUser(deps, tx, { tenantId, email, role: "admin", passwordHash, drawn: false });
    const by = { tenantId, actor: `user:${userId}`, address: input.address };
    const act = { act: "user.create", target: userId, after: { email, role: "admin", platform: true } };
    await recordAct(tx, by, act, { ids: deps.ids, now: deps.clock.now() });
    return await openSession(deps, tx, { userId, passwordHash }, input);
  });
  await linkEnded(deps);
  return remembered(deps, opened);
}

/** Returns the named tenant, or the only tenant if none is named; creates it if the slug is unknown. */
async function tenantFor(
  deps: IdentityDeps,
  tx: Tx,
  { tenantName: name, tenantSlug: slug }: SetUpTenant,
): Promise<string> {
  const existing = slug === undefined ? await soleTenant(tx) : await findTenant(tx, slug);
  if (existing !== undefined && existing !== "several") return existing.id;
  if (slug === undefined)
    throw invalidRequest("Name the tenant: tenantSlug, and tenantName for a new one.", "tenantSlug");
  if (name === undefined) throw invalidRequest("A new tenant needs a name.", "tenantName");
  return (await createTenantIn(tx, deps, { slug, name })).id;
}

type SetUpTenant = Pick<SetUp, "tenantName" | "tenantSlug">;
