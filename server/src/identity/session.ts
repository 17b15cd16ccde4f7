import type { Caller, Role } from "../access/access.ts";

/** The second factor of a session: the user has none; it was given; it must be given first; the tenant's rule asks the user to set one up first. */
export type FactorState = "none" | "given" | "required" | "due";

/** What completes a sign-in, in the order in which it is asked for: a code of the second factor, a password of one's own, a second factor. */
export const MISSING = ["code", "password", "factor"] as const;
export type Missing = (typeof MISSING)[number];

/** A session with its user as they are at this request. */
export interface Session {
  id: string;
  user: { id: string; email: string; role: Role; platform: boolean };
  tenant: { id: string; slug: string; name: string };
  /** When the user last gave password and second factor. */
  verifiedAt: Date;
  /** The service drew the password: the user must change it before anything else. */
  passwordDue: boolean;
  factor: FactorState;
  /** The second factor that was given. */
  factorId: string | null;
  /** Whether the tenant's rule requires a second factor of this user. */
  factorMandatory: boolean;
}

/** What the sign-in lacks; until it is there, the session admits nothing but what completes it. */
export function missingOf({ factor, passwordDue }: Pick<Session, "factor" | "passwordDue">): Missing | undefined {
  if (factor === "required") return "code";
  if (passwordDue) return "password";
  return factor === "due" ? "factor" : undefined;
}

/** Where a request comes from. */
export interface Visit {
  address: string;
  /** The `User-Agent` of the request, or nothing. */
  userAgent: string;
}

/** A session that has just begun; only its holder learns `token`. */
export interface NewSession {
  session: Session;
  token: string;
}

/** A new session with the text of a cookie by which its browser is known at the next sign-in. */
export interface SignedIn extends NewSession {
  browser: string;
}

/** What a right password opens: a session, or one that lacks the second factor, whose browser is not known yet. */
export type Opened = NewSession & Partial<SignedIn>;

/** The user of the session as the caller of use cases. */
export function callerOf({ id, user, tenant }: Session, address: string): Caller {
  return {
    tenantId: tenant.id,
    tenantSlug: tenant.slug,
    actor: `user:${user.id}`,
    rights: { kind: "user", userId: user.id, role: user.role, platform: user.platform, sessionId: id },
    address,
  };
}
