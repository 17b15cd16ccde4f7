import type { Caller, Profile, Role } from "../access/access.ts";
import type { FactorKind } from "./factors/factor-store.ts";

/**
 * The second factor of a session: `none` if the user has none, `given` once its code was given, `required` until then;
 * `due` if the tenant's rule requires the user to set one up first.
 */
export type FactorState = "none" | "given" | "required" | "due";

/**
 * The missing parts of a sign-in, in the order in which they are requested: a code of the second factor, a password
 * chosen by the user, a second factor.
 */
export const MISSING = ["code", "password", "factor"] as const;
export type Missing = (typeof MISSING)[number];

/** A session with its user as they are at this request. */
export interface Session {
  id: string;
  user: { id: string; email: string; role: Role; platform: boolean };
  profile: Profile;
  tenant: { id: string; slug: string; name: string };
  /** The time when the user last gave password and second factor. */
  verifiedAt: Date;
  /** Whether the service generated the password, so that the user must change it before anything else. */
  passwordDue: boolean;
  factor: FactorState;
  /** The second factor that was given. */
  factorId: string | null;
  /** The kinds of second factors that the user has. */
  factorKinds: readonly FactorKind[];
  /** Whether the tenant's rule requires a second factor of this user. */
  factorMandatory: boolean;
  /** The session at the identity provider that began this one; null after a sign-in with credentials of Muster. */
  provider: ProviderSession | null;
}

/** A session at an identity provider. */
export interface ProviderSession {
  issuer: string;
  /** Its id there, if the provider tells it. */
  sid: string | null;
}

/** Returns the missing part of the sign-in; until it is complete, the session admits only its completion. */
export function missingOf({ factor, passwordDue }: Pick<Session, "factor" | "passwordDue">): Missing | undefined {
  if (factor === "required") return "code";
  if (passwordDue) return "password";
  return factor === "due" ? "factor" : undefined;
}

/** The origin of a request. */
export interface Visit {
  address: string;
  /** The `User-Agent` of the request, or empty. */
  userAgent: string;
}

/** A new session; only its holder receives `token`. */
export interface NewSession {
  session: Session;
  token: string;
}

/** A new session with the cookie text that identifies its browser at the next sign-in. */
export interface SignedIn extends NewSession {
  browser: string;
}

/** A session after a correct password; it may still lack the second factor, and its browser is then not yet known. */
export type Opened = NewSession & Partial<SignedIn>;

/** Returns the session's user as the caller of use cases. */
export function callerOf({ id, user, tenant }: Session, address: string): Caller {
  return {
    tenantId: tenant.id,
    tenantSlug: tenant.slug,
    actor: `user:${user.id}`,
    rights: { kind: "user", userId: user.id, role: user.role, platform: user.platform, sessionId: id },
    address,
  };
}
