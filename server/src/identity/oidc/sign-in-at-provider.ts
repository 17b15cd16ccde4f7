import { inTransaction } from "../../db/transaction.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isMusterError, MusterError } from "../../lib/errors.ts";
import { normalizeEmailAddress } from "../../lib/mail/email-address.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { beginSession } from "../open-session.ts";
import type { Opened, Visit } from "../session.ts";
import { remembered } from "../sign-in.ts";
import { admitPerson } from "./admit-person.ts";
import { authorizationUrl, exchange, type Person } from "./exchange.ts";
import { beginFlow, type Flow, type FlowPurpose, openFlow, stateHash } from "./flow.ts";
import { takeAnswer } from "./identity-store.ts";
import { requireNotLoggedOut } from "./logout.ts";
import { flowExpired } from "./oidc-errors.ts";
import { findOffered, findProvider, type OfferedProvider, type ProviderRow } from "./provider-store.ts";

/** The name that a person signs in with: the slug of a tenant, or an e-mail address whose domain belongs to one. */
export interface Named {
  tenant?: string | undefined;
  email?: string | undefined;
}

/**
 * The ways in which a person can sign in. They depend on the tenant or the domain alone, not on whether the person has
 * an account.
 */
export interface SignInMethods {
  password: boolean;
  provider: { tenant: string; name: string } | null;
}

export async function signInMethods(deps: IdentityDeps, named: Named): Promise<SignInMethods> {
  const offered = await offeredTo(deps, named);
  if (!offered) return { password: true, provider: null };
  return { password: offered.rule !== "required", provider: { tenant: offered.slug, name: offered.tenantName } };
}

async function offeredTo({ database }: IdentityDeps, { tenant, email }: Named): Promise<OfferedProvider | undefined> {
  const address = normalizeEmailAddress(email ?? "");
  const domain = address.includes("@") ? address.slice(address.lastIndexOf("@") + 1).toLowerCase() : undefined;
  return await findOffered(database.db, { slug: tenant, domain });
}

/** A sign-in that has begun: the address at the provider, and the cookie that binds it to this browser. */
export interface BegunFlow {
  url: string;
  flowCookie: string;
}

/**
 * Begins a sign-in at the tenant's provider.
 *
 * @throws MusterError not_found when no provider is on; provider_failed, rate_limited
 */
export async function startProviderSignIn(deps: IdentityDeps, named: Named): Promise<BegunFlow> {
  const offered = await offeredTo(deps, named);
  const row = offered && (await findProvider(deps.database.db, offered.tenantId));
  if (!row?.enabled) throw notFound("provider");
  return await withoutCause(deps, row, () => begin(deps, row, { purpose: "sign-in" }, named.email));
}

/** Begins a flow for `purpose`. */
export async function begin(
  deps: IdentityDeps,
  row: ProviderRow,
  of: { purpose: FlowPurpose; sessionId?: string; factorId?: string | null },
  loginHint?: string,
): Promise<BegunFlow> {
  const { values, cookie } = beginFlow(deps, { ...of, tenantId: row.tenant_id, connectionId: row.connection_id });
  const url = await authorizationUrl(deps, row, values, { loginHint, again: of.purpose === "verify" });
  return { url, flowCookie: cookie };
}

/** The answer of a provider, as the browser passes it on. */
export interface BroughtAnswer {
  /** The tenant whose page the provider opened. */
  tenantId: string;
  /** The query of the address to which the provider sent the browser. */
  query: string;
  flowCookie: string | undefined;
}

/** The answer of a provider, with the browser that brings it. */
export interface ProviderAnswer extends Visit, BroughtAnswer {}

/**
 * Completes a sign-in at the provider and begins a session. A second factor that the user has here is still asked for.
 *
 * @throws MusterError sign_in_flow_expired, provider_failed, sign_in_refused, quota_exceeded, rate_limited
 */
export async function completeProviderSignIn(deps: IdentityDeps, answer: ProviderAnswer): Promise<Opened> {
  const taken = await takeFlow(deps, answer, "sign-in");
  const { row, person } = taken;
  const who = { email: plainAddress(person.email), address: answer.address, tenantId: row.tenant_id };
  const opened = await deps.failedSignIns.reported(who, () => once(() => openFor(deps, taken, answer)));
  return opened.session.factor === "required" ? opened : remembered(deps, opened);
}

/** Returns an address that can be looked up; a provider may send any text. */
function plainAddress(email = ""): string {
  return /^[\x21-\x7e]{1,254}$/.test(email) ? email : "";
}

async function openFor(deps: IdentityDeps, taken: TakenFlow, { address, userAgent }: Visit) {
  const { row: provider, person } = taken;
  return await inTransaction(deps.database.db, async (tx) => {
    const userId = await admitPerson(deps, tx, { provider, person, address });
    await requireNotLoggedOut(deps, tx, taken);
    const by = { issuer: person.issuer, sid: person.sid ?? null };
    const verifiedAt = verifiedAtOf(person, deps.clock.now());
    const begun = { userId, givenFactorId: null, verifiedAt, provider: by };
    return await beginSession(deps, tx, begun, { address, userAgent });
  });
}

/**
 * Returns when the person last gave credentials. A provider that knows the browser already asks for none, and one that
 * does not tell the time has verified nobody: a dangerous act then needs a step-up.
 */
function verifiedAtOf({ authTime }: Person, now: Date): Date {
  if (!authTime) return new Date(0);
  return authTime < now ? authTime : now;
}

/** Repeats `work` once when another request has created the same user: then there is one to sign in as. */
async function once<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMusterError(error, "already_exists")) throw error;
    return await work();
  }
}

/** A flow whose answer was taken, and the person for whom the provider vouches. */
interface TakenFlow {
  flow: Flow;
  row: ProviderRow;
  person: Person;
}

/**
 * Takes the answer to a flow, once, and asks the provider who the person is. An answer that came to the page of another
 * tenant is refused before its code goes anywhere.
 */
export async function takeFlow(
  deps: IdentityDeps,
  { tenantId, query, flowCookie }: BroughtAnswer,
  purpose: FlowPurpose,
): Promise<TakenFlow> {
  const { database, limits } = deps;
  const state = new URLSearchParams(query).get("state") ?? "";
  const { flow, values } = openFlow(deps, { cookie: flowCookie, state, purpose });
  if (flow.tenantId !== tenantId) throw flowExpired();
  const row = await findProvider(database.db, flow.tenantId);
  const isCurrent = row?.connection_id === flow.connectionId && (row.enabled || purpose === "test");
  if (!row || !isCurrent) throw flowExpired();
  const until = addMs(flow.startedAt, limits.oidcFlowMinutes * MINUTE);
  if (!(await takeAnswer(database.db, stateHash(state), until))) throw flowExpired();
  const ask = () => exchange(deps, row, { query, flow, values });
  return { flow, row, person: await (purpose === "test" ? ask() : withoutCause(deps, row, ask)) };
}

/** Logs why a provider failed; only admins who test it are told, since the cause can name addresses. */
async function withoutCause<T>({ logger }: IdentityDeps, row: ProviderRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMusterError(error, "provider_failed")) throw error;
    const { tenant_id: tenantId, issuer } = row;
    logger.warn({ tenantId, issuer, cause: error.detail }, "a sign-in at an identity provider failed");
    throw new MusterError("provider_failed", error.message);
  }
}
