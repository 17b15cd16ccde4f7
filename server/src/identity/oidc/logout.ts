import { createHash } from "node:crypto";
import { errors } from "jose";
import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { IdentityDeps } from "../deps.ts";
import { counted } from "../sign-in-events/count-sign-ins.ts";
import { type Person, secretsOf } from "./exchange.ts";
import type { Flow } from "./flow.ts";
import { takeAnswer } from "./identity-store.ts";
import { endLoggedOut, type LoggedOut, raiseMark } from "./logout-store.ts";
import { type LogoutToken, readLogoutToken, refusedToken } from "./logout-token.ts";
import { flowExpired } from "./oidc-errors.ts";
import { findProvider, type ProviderRow } from "./provider-store.ts";
import { type Connection, verifyToken } from "./providers.ts";

/** The path of the address to which a provider reports logouts, before the id of the tenant. */
export const LOGOUT_PATH = "/api/sign-in/oidc/logout";

/** Returns the address to which the provider of a tenant reports logouts. */
export function logoutUri({ baseUrl }: Pick<IdentityDeps, "baseUrl">, tenantId: string): string {
  return `${baseUrl()}${LOGOUT_PATH}/${tenantId}`;
}

/** A request of a provider to end sessions. */
export interface LogoutRequest {
  tenantId: string;
  /** The logout token. */
  token: string;
  /** The address of the provider. */
  address: string;
}

/**
 * Ends the sessions that the tenant's provider reports as logged out (OpenID Connect Back-Channel Logout 1.0, 2.5).
 * A token counts once. It succeeds if there is no such session.
 *
 * @throws MusterError invalid_request, provider_failed when the provider's keys cannot be read, rate_limited
 */
export async function endAtProvider(deps: IdentityDeps, request: LogoutRequest): Promise<void> {
  await counted(
    (result) => deps.metrics.providerLogouts.inc({ result }),
    () => takeToken(deps, request),
  );
}

async function takeToken(deps: IdentityDeps, { tenantId, token, address }: LogoutRequest): Promise<void> {
  const { database, clock, limits } = deps;
  const row = await findProvider(database.db, tenantId);
  if (!row) throw refusedToken("iss");
  const accepted = { now: clock.now(), acceptedMinutes: limits.oidcFlowMinutes };
  const claims = readLogoutToken(token, row, accepted);
  await deps.providers.use(row, secretsOf(deps), (to) => verify(to, token, clock.now()), "logout");
  deps.providers.admitLogout(tenantId);
  await inTransaction(database.db, async (tx) => {
    if (!(await takeAnswer(tx, hashOf("logout", row, claims.jti), claims.until))) throw refusedToken("jti");
    await end(deps, tx, { row, claims, address });
  });
}

/** Errors of the provider's keys rather than of a token. */
const OF_KEYS = [errors.JWKSTimeout, errors.JWKSInvalid];

/** @throws MusterError invalid_request for a wrong token; other errors when the keys cannot be read */
async function verify(connection: Connection, token: string, now: Date): Promise<void> {
  try {
    await verifyToken(connection, token, now, { requiredClaims: ["iat", "jti"] });
  } catch (error) {
    const isWrong = error instanceof errors.JOSEError && !OF_KEYS.some((kind) => error instanceof kind);
    throw isWrong ? refusedToken("logout_token") : error;
  }
}

async function end(
  deps: Pick<IdentityDeps, "ids" | "clock" | "limits">,
  tx: Tx,
  { row, claims, address }: { row: ProviderRow; claims: LogoutToken; address: string },
): Promise<void> {
  const { ids, clock, limits } = deps;
  const { tenant_id: tenantId, issuer } = row;
  const { sid, sub } = claims;
  const now = clock.now();
  const until = addMs(now, limits.oidcFlowMinutes * MINUTE);
  for (const mark of marksOf(row, claims)) await raiseMark(tx, mark, until);
  const which: LoggedOut = { tenantId, issuer, sid, sub };
  for (const { id, userId, email } of await endLoggedOut(tx, which)) {
    const after = { email, sessionId: id, provider: issuer };
    const by = { tenantId, actor: "provider", address };
    await recordAct(tx, by, { act: "session.end", target: userId, after }, { ids, now });
  }
}

/** Returns the marks of a logout. Every transaction locks them in the order `sid`, `sub`, `sub` without `sid`. */
function marksOf(row: ProviderRow, { sid, sub }: LogoutToken): Buffer[] {
  if (sid === undefined) return [hashOf("sub", row, sub!)];
  const ofSession = hashOf("sid", row, sid);
  return sub === undefined ? [ofSession] : [ofSession, hashOf("sub without sid", row, sub)];
}

/**
 * Refuses a sign-in that began before the provider reported the logout of its person or session. The marks stay locked,
 * so a logout that comes now finds the session.
 *
 * @throws MusterError sign_in_flow_expired
 */
export async function requireNotLoggedOut(
  { limits }: Pick<IdentityDeps, "limits">,
  tx: Tx,
  { row, person, flow }: { row: ProviderRow; person: Person; flow: Pick<Flow, "startedAt"> },
): Promise<void> {
  const until = addMs(flow.startedAt, limits.oidcFlowMinutes * MINUTE);
  const { sid, subject } = person;
  const ofPerson = hashOf("sub", row, subject);
  const marks =
    sid === undefined ? [ofPerson, hashOf("sub without sid", row, subject)] : [hashOf("sid", row, sid), ofPerson];
  for (const mark of marks) if ((await raiseMark(tx, mark, flow.startedAt)) > until) throw flowExpired();
}

function hashOf(what: string, { tenant_id: tenantId, issuer }: ProviderRow, name: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([what, tenantId, issuer, name]))
    .digest();
}
