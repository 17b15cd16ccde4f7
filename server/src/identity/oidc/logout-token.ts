import { decodeJwt, decodeProtectedHeader } from "jose";
import { addMs, MINUTE, SECOND } from "../../lib/clock.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { ProviderRow } from "./provider-store.ts";
import { ALGORITHMS, isId, SKEW_SECONDS } from "./providers.ts";

/** The claims of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). At least one of `sid`, `sub` is set. */
export interface LogoutToken {
  jti: string;
  sid: string | undefined;
  sub: string | undefined;
  /** When the token is no longer accepted, so that its `jti` can be forgotten. */
  until: Date;
}

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** An id of a token is stored as its hash, so it may be longer than those of people and sessions. */
const LONGEST_JTI = 500;
const TYPES: readonly string[] = ["jwt", "logout+jwt", "application/logout+jwt"];

/**
 * Returns the claims of a logout token whose signature is not verified yet. The checks come first because they cost
 * little: a stranger's text makes no provider busy.
 *
 * @param acceptedMinutes how long after its issue a token is accepted
 * @throws MusterError invalid_request
 */
export function readLogoutToken(
  text: string,
  { issuer, client_id: clientId }: Pick<ProviderRow, "issuer" | "client_id">,
  { now, acceptedMinutes }: { now: Date; acceptedMinutes: number },
): LogoutToken {
  const { header, claims } = decoded(text);
  const { iss, aud, iat, jti, sid, sub, events } = claims;
  // A stranger's header may have values of any type.
  const { alg = "", typ = "jwt" } = header;
  require(ALGORITHMS.includes(alg), "alg");
  require(typeof typ === "string" && TYPES.includes(typ.toLowerCase()), "typ");
  require(iss === issuer, "iss");
  require([aud].flat().includes(clientId), "aud");
  require(isObject(events) && isObject(events[EVENT]), "events");
  // An ID token must not end sessions: only that has a nonce.
  require(!("nonce" in claims), "nonce");
  require(isId(jti, LONGEST_JTI), "jti");
  require(sid === undefined || isId(sid), "sid");
  require(sub === undefined || isId(sub), "sub");
  require(sid !== undefined || sub !== undefined, "sub");
  require(typeof iat === "number" && Number.isSafeInteger(iat), "iat");
  require(iat * SECOND <= now.getTime() + SKEW_SECONDS * SECOND, "iat");
  const until = addMs(new Date(iat * SECOND), acceptedMinutes * MINUTE + SKEW_SECONDS * SECOND);
  require(until > now, "iat");
  return { jti, sid, sub, until };
}

function decoded(text: string) {
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch {
    throw refusedToken("logout_token");
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function require(holds: boolean, claim: string): asserts holds {
  if (!holds) throw refusedToken(claim);
}

/** Returns the error for a logout token that is not accepted (OpenID Connect Back-Channel Logout 1.0, 2.8). */
export function refusedToken(claim: string): Error {
  return invalidRequest("this is not a valid logout token of the organization's identity provider", claim);
}
