import { createRemoteJWKSet, errors, type JWTVerifyGetKey, customFetch as joseFetch, jwtVerify } from "jose";
import * as client from "openid-client";
import { addMs, type Clock, MINUTE, SECOND } from "../../lib/clock.ts";
import { RecentMap } from "../../lib/collections/recent-map.ts";
import { isMusterError } from "../../lib/errors.ts";
import { createAddressLimit } from "../../lib/limits/address-limit.ts";
import { createGuardedFetch, type GuardedFetch } from "../../lib/outgoing/guarded-fetch.ts";
import type { Resolve } from "../../lib/outgoing/resolve-target.ts";
import { rateLimited } from "../../lib/request-errors.ts";
import { providerFailed } from "./oidc-errors.ts";
import type { ProviderRow } from "./provider-store.ts";

/** The signatures that are accepted: never `none`, never a shared secret. */
export const ALGORITHMS = ["ES256", "RS256", "PS256", "EdDSA", "Ed25519"];
/** The difference of clocks that is tolerated. */
export const SKEW_SECONDS = 60;
/** The time for which a provider's description and keys are cached; an unknown key id fetches them again earlier. */
const CACHED_MS = 5 * MINUTE;
/** The least time between two fetches of keys because of an unknown key id. */
const COOL_DOWN_MS = 5 * SECOND;
const TIMEOUT_MS = 5 * SECOND;
const MOST_ANSWER_BYTES = 256 * 1024;
const MOST_CACHED = 1_000;

/** An identity provider whose description was fetched. */
export interface Connection {
  config: client.Configuration;
  keys: JWTVerifyGetKey;
}

/** Speaks to the identity providers of all tenants. */
export interface Providers {
  /**
   * Runs `work` with a tenant's provider: a sign-in in one of the tenant's slots, a logout without one unless the
   * description must be fetched, for which it has slots of its own.
   *
   * @throws MusterError rate_limited, provider_failed
   */
  use<T>(
    row: ProviderRow,
    openSecret: OpenSecret,
    work: (connection: Connection) => Promise<T>,
    step?: "sign-in" | "logout",
  ): Promise<T>;
  /** Fetches the description of a provider again, whatever is cached. @throws Error */
  describe(row: ProviderRow, openSecret: OpenSecret): Promise<void>;
  /** Counts a valid logout token of a tenant. @throws MusterError rate_limited */
  admitLogout(tenantId: string): void;
}

/** Opens the client secret of a provider. */
export type OpenSecret = (row: ProviderRow) => Promise<string>;

export function createProviders(options: {
  clock: Clock;
  resolve: Resolve;
  allowPrivate: boolean;
  /** The number of concurrent uses per tenant. */
  atOnce: number;
  logoutsPerMinute: number;
  /** Called when a provider was away or answered wrongly. */
  onFailure(step: "sign-in" | "logout"): void;
}): Providers {
  const { clock, resolve, allowPrivate, atOnce } = options;
  const logouts = createAddressLimit(options.logoutsPerMinute, clock);
  const privateTargets = { allowed: allowPrivate, setting: "MUSTER_OIDC_ALLOW_PRIVATE" };
  const fetch = createGuardedFetch({ resolve, privateTargets, mostBytes: MOST_ANSWER_BYTES, timeoutMs: TIMEOUT_MS });
  const cached = new RecentMap<string, Connection & { until: Date }>(MOST_CACHED);
  const inSlot = createSlots(atOnce);
  const connecting = new Map<string, Promise<Connection>>();

  function connected({ connection_id: id }: ProviderRow): Connection | undefined {
    const found = cached.get(id);
    return found && found.until > clock.now() ? found : undefined;
  }

  /** Fetches a description; those who ask meanwhile wait for the same answer. */
  async function connect(row: ProviderRow, openSecret: OpenSecret): Promise<Connection> {
    const id = row.connection_id;
    const begin = async () => {
      const connection = await describe({ clock, fetch }, row, await openSecret(row));
      cached.set(id, { ...connection, until: addMs(clock.now(), CACHED_MS) });
      return connection;
    };
    const connection = connecting.get(id) ?? begin().finally(() => connecting.delete(id));
    connecting.set(id, connection);
    return await connection;
  }

  return {
    async describe(row, openSecret) {
      await describe({ clock, fetch }, row, await openSecret(row));
    },
    admitLogout(tenantId) {
      const waitSeconds = logouts.admit(tenantId);
      if (waitSeconds > 0) throw rateLimited("too many logouts of this organization; try again", waitSeconds);
    },
    async use(row, openSecret, work, step = "sign-in") {
      const slot = `${step} ${row.tenant_id}`;
      const connection = async () => connected(row) ?? (await connect(row, openSecret));
      try {
        if (step === "sign-in") return await inSlot(slot, async () => await work(await connection()));
        return await work(connected(row) ?? (await inSlot(slot, connection)));
      } catch (error) {
        const failure = providerFailed(error);
        if (isMusterError(failure, "provider_failed")) options.onFailure(step);
        throw failure;
      }
    },
  };
}

/** Limits concurrent work per slot. The function that it returns throws MusterError rate_limited. */
function createSlots(atOnce: number) {
  const running = new Map<string, number>();
  return async <T>(slot: string, work: () => Promise<T>): Promise<T> => {
    const count = running.get(slot) ?? 0;
    if (count >= atOnce) throw rateLimited("many people of your company sign in or out now; try again", 1);
    running.set(slot, count + 1);
    try {
      return await work();
    } finally {
      const left = running.get(slot)! - 1;
      if (left === 0) running.delete(slot);
      else running.set(slot, left);
    }
  };
}

/** Fetches the description of a provider (OpenID Connect Discovery 1.0). */
async function describe(
  { clock, fetch }: { clock: Clock; fetch: GuardedFetch },
  row: ProviderRow,
  secret: string,
): Promise<Connection> {
  const metadata = { client_secret: secret, [client.clockTolerance]: SKEW_SECONDS };
  const config = await client.discovery(new URL(row.issuer), row.client_id, metadata, undefined, {
    [client.customFetch]: (url, request) => fetch(url, request as Parameters<GuardedFetch>[1]),
    timeout: TIMEOUT_MS / SECOND,
  });
  const described = config.serverMetadata();
  if (described.issuer !== row.issuer) throw new Error(`the provider names another issuer: ${described.issuer}`);
  if (!described.jwks_uri) throw new Error("the provider publishes no keys");
  const keys = createRemoteJWKSet(new URL(described.jwks_uri), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: 0,
    cacheMaxAge: CACHED_MS,
    [joseFetch]: keysAtIntervals(clock, fetch),
  });
  return { config, keys };
}

/**
 * Returns a fetch of keys that refuses to run in quick succession, so that tokens with unknown key ids do not make a
 * provider busy. It then repeats the last failure; if there was none, the token names no key of the provider.
 */
function keysAtIntervals(clock: Pick<Clock, "monotonicMs">, fetch: GuardedFetch) {
  let last = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  return async (url: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
    if (clock.monotonicMs() < last + COOL_DOWN_MS) throw failure ?? new errors.JWKSNoMatchingKey();
    last = clock.monotonicMs();
    try {
      const keys = await readKeys(await fetch(url, { signal }));
      failure = undefined;
      return keys;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
}

/** @throws Error for an answer that is no set of keys (RFC 7517 5) */
async function readKeys(answer: Response): Promise<Response> {
  if (answer.status !== 200) throw new Error(`the provider's keys answer with status ${answer.status}`);
  const set: unknown = await answer.json();
  if (!Array.isArray((set as { keys?: unknown } | null)?.keys))
    throw new Error("the provider's keys are not a JSON Web Key Set");
  return Response.json(set);
}

/** The longest subject (OpenID Connect Core 1.0, 2) or session id; longer ones fit no index of the database. */
const LONGEST_ID = 255;

/** Returns whether a claim is an id that can be stored. */
export function isId(value: unknown, longest = LONGEST_ID): value is string {
  return typeof value === "string" && value !== "" && value.length <= longest && !value.includes("\0");
}

/**
 * Verifies the signature and the times of a token from a provider.
 *
 * @returns its claims
 */
export async function verifyToken(
  { keys, config }: Connection,
  token: string,
  now: Date,
  more: { typ?: string; requiredClaims?: string[] } = {},
): Promise<Record<string, unknown>> {
  const { payload } = await jwtVerify(token, keys, {
    issuer: config.serverMetadata().issuer,
    audience: config.clientMetadata().client_id,
    algorithms: ALGORITHMS,
    clockTolerance: SKEW_SECONDS,
    currentDate: now,
    ...more,
  });
  if (payload.iat !== undefined && payload.iat > now.getTime() / SECOND + SKEW_SECONDS)
    throw new Error("the token comes from the future: the clocks of provider and service differ");
  return payload;
}
