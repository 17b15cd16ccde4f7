import type { Caller, Role } from "../access/access.ts";

/** A session with its user as they are at this request. */
export interface Session {
  id: string;
  user: { id: string; email: string; role: Role; platform: boolean };
  tenant: { id: string; slug: string; name: string };
  /** When the user last gave password and second factor. */
  verifiedAt: Date;
  /** The service drew the password: the user must change it before anything else. */
  passwordDue: boolean;
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
