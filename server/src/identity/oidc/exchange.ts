import * as client from "openid-client";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { SECOND } from "../../lib/clock.ts";
import type { IdentityDeps } from "../deps.ts";
import type { Flow, FlowValues } from "./flow.ts";
import { type ProviderRow, providerOwner } from "./provider-store.ts";
import { type Connection, isId, type OpenSecret, SKEW_SECONDS, verifyToken } from "./providers.ts";

/** A person for whom the provider vouches. */
export interface Person {
  issuer: string;
  subject: string;
  email: string | undefined;
  /** Undefined if the provider does not say. */
  emailVerified: boolean | undefined;
  name: string | undefined;
  /** The provider's id of its session. */
  sid: string | undefined;
  /** When the person last gave credentials to the provider. */
  authTime: Date | undefined;
  claims: Readonly<Record<string, unknown>>;
}

/**
 * Returns the page of the app to which the provider of a tenant sends the browser back. Each tenant has its own, so
 * that the code of one provider never reaches another's, also where a provider sends no `iss` (RFC 9700 4.4.2.2).
 */
export function redirectUri({ baseUrl }: Pick<IdentityDeps, "baseUrl">, tenantId: string): string {
  return `${baseUrl()}/sign-in/provider/${tenantId}`;
}

/** An age that no sign-in reaches: a provider that is asked for one tells when it was (OpenID Connect Core 1.0, 2). */
const TELL_AUTH_TIME = String(365 * 24 * 3_600);

/** Returns a reader of client secrets. */
export function secretsOf({ database, secrets }: Pick<IdentityDeps, "database" | "secrets">): OpenSecret {
  return async ({ tenant_id: tenantId, client_secret: sealed }) => {
    const open = (tx: Tx) => secrets.open(tx, sealed, providerOwner(tenantId));
    return (await inTransaction(database.db, open)).toString("utf8");
  };
}

/** Returns the address at the provider to which the browser goes (code flow with PKCE S256). */
export async function authorizationUrl(
  deps: IdentityDeps,
  row: ProviderRow,
  { state, nonce, verifier }: FlowValues,
  more: { loginHint?: string | undefined; again?: boolean } = {},
): Promise<string> {
  const code_challenge = await client.calculatePKCECodeChallenge(verifier);
  return await deps.providers.use(row, secretsOf(deps), async ({ config }) => {
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri(deps, row.tenant_id),
      scope: row.scopes.join(" "),
      state,
      nonce,
      code_challenge,
      code_challenge_method: "S256",
      ...(more.loginHint === undefined ? {} : { login_hint: more.loginHint }),
      ...(more.again ? { max_age: "0", prompt: "login" } : { max_age: TELL_AUTH_TIME }),
    });
    if (url.protocol !== "https:") throw new Error("the provider's address is not https");
    return url.href;
  });
}

/**
 * Exchanges the code of an answer for the claims of the person. The library checks state, `iss` (RFC 9207), nonce,
 * audience and `auth_time`; the signature is always verified, although the token comes over TLS.
 *
 * @throws MusterError provider_failed, rate_limited
 */
export async function exchange(
  deps: IdentityDeps,
  row: ProviderRow,
  { query, flow, values }: { query: string; flow: Flow; values: FlowValues },
): Promise<Person> {
  return await deps.providers.use(row, secretsOf(deps), async (connection) => {
    const { config } = connection;
    const tokens = await client.authorizationCodeGrant(
      config,
      new URL(`${redirectUri(deps, row.tenant_id)}?${query}`),
      {
        expectedState: values.state,
        expectedNonce: values.nonce,
        pkceCodeVerifier: values.verifier,
        idTokenExpected: true,
        ...(flow.purpose === "verify" ? { maxAge: 0 } : {}),
      },
    );
    const claims = await verifyToken(connection, tokens.id_token!, deps.clock.now(), {
      requiredClaims: ["iat", "exp"],
    });
    if (flow.purpose === "verify" && !isFresh(claims.auth_time, flow))
      throw new Error("the provider did not ask again");
    return toPerson(row.issuer, await withUserInfo(connection, row, tokens.access_token, claims));
  });
}

/** Returns whether the person gave credentials after the flow began. */
function isFresh(authTime: unknown, { startedAt }: Flow): boolean {
  return typeof authTime === "number" && authTime >= startedAt.getTime() / SECOND - SKEW_SECONDS;
}

/**
 * Adds what only the provider's UserInfo tells; the signed token prevails. Each of the two vouches only for the address
 * that it names itself.
 */
async function withUserInfo(
  { config }: Connection,
  { mapping_claim: mapped }: ProviderRow,
  accessToken: string,
  claims: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const wanted = ["email", "email_verified", ...(mapped === null ? [] : [mapped])];
  const isComplete = wanted.every((name) => claims[name] !== undefined);
  if (isComplete || !config.serverMetadata().userinfo_endpoint) return claims;
  const told: Record<string, unknown> = await client.fetchUserInfo(config, accessToken, String(claims.sub));
  const { email, email_verified: byToken } = claims;
  if (email === undefined) return { ...told, ...claims, email_verified: told.email_verified };
  const verified = byToken ?? (told.email === email ? told.email_verified : undefined);
  return { ...told, ...claims, email_verified: verified };
}

/** Some providers send a text: "true" links no account, and "false" counts as false. */
function verifiedOf(value: unknown): boolean | undefined {
  if (value === undefined || value === null || value === "true") return undefined;
  return value === true;
}

/** @throws Error for ids that cannot be stored */
function toPerson(issuer: string, claims: Record<string, unknown>): Person {
  for (const name of ["sub", "sid"])
    if (!isId(claims[name] ?? name)) throw new Error(`the provider's ${name} is not valid`);
  const text = (name: string) => (typeof claims[name] === "string" && claims[name] !== "" ? claims[name] : undefined);
  const { email_verified: verified, auth_time: authTime } = claims;
  return {
    issuer,
    subject: String(claims.sub),
    email: text("email"),
    emailVerified: verifiedOf(verified),
    name: text("name"),
    sid: text("sid"),
    authTime: typeof authTime === "number" ? new Date(authTime * SECOND) : undefined,
    claims,
  };
}
