import type { FastifyReply } from "fastify";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";

/**
 * The name of the session cookie. A browser accepts it only from this host, over TLS, and for every path (RFC 6265bis
 * 4.1.3.2).
 */
const SESSION = "__Host-muster";
/**
 * The lifetime of the cookie. The database decides when a session ends; the browser keeps the cookie at least as long.
 */
const SESSION_SECONDS = DEFAULT_LIMITS.sessionMinutes * 60;

/**
 * The name of the cookie that identifies a browser with which a user has signed in before; browsers delete cookies
 * after 400 days at most.
 */
const KNOWN_BROWSER = "__Host-muster-known";
const KNOWN_BROWSER_SECONDS = 180 * 24 * 3600;

/** The name of the cookie that binds a sign-in at an identity provider to the browser that began it. */
const FLOW = "__Host-muster-flow";
const FLOW_SECONDS = DEFAULT_LIMITS.oidcFlowMinutes * 60;

/** The name of the cookie that binds a request for a passkey to the browser that got it. */
const CHALLENGE = "__Host-muster-passkey";
const CHALLENGE_SECONDS = DEFAULT_LIMITS.passkeyMinutes * 60;

/** The cookies of an answer. */
interface Cookies {
  /** The token of the session; null when it has ended, undefined when it stays. */
  token?: string | null | undefined;
  browser?: string | undefined;
  /** The cookie of a sign-in at a provider that has begun. */
  flow?: string | undefined;
  /** The cookie of a request for a passkey. */
  challenge?: string | undefined;
}

/** An answer that starts, renews or ends a session. */
export class SessionAnswer {
  readonly body: unknown;
  readonly cookies: Cookies;

  constructor(body: unknown, cookies: Cookies) {
    this.body = body;
    this.cookies = cookies;
  }
}

/** Returns the answer `body` with a new session cookie. */
export function withSession(
  body: unknown,
  cookies: { token?: string | undefined; browser?: string | undefined },
): SessionAnswer {
  return new SessionAnswer(body, cookies);
}

/** Returns the answer to a request that ended the session. */
export function ended(): SessionAnswer {
  return new SessionAnswer(undefined, { token: null });
}

/** Returns the answer `body` with the cookie of a sign-in at a provider. */
export function withFlow(body: unknown, flow: string): SessionAnswer {
  return new SessionAnswer(body, { flow });
}

/** Returns the answer `body` with the cookie of a request for a passkey. */
export function withChallenge(body: unknown, challenge: string): SessionAnswer {
  return new SessionAnswer(body, { challenge });
}

/** Sets the cookies of an answer. @returns its body */
export function withoutCookies(reply: FastifyReply, answer: unknown): unknown {
  if (!(answer instanceof SessionAnswer)) return answer;
  const { token, browser, flow, challenge } = answer.cookies;
  const session = token === null ? cookie(SESSION, "", 0) : token && cookie(SESSION, token, SESSION_SECONDS);
  const known = browser && cookie(KNOWN_BROWSER, browser, KNOWN_BROWSER_SECONDS);
  const begun = flow && cookie(FLOW, flow, FLOW_SECONDS);
  const asked = challenge && cookie(CHALLENGE, challenge, CHALLENGE_SECONDS);
  const cookies = [session, known, begun, asked].filter((each) => each !== undefined);
  if (cookies.length > 0) reply.header("set-cookie", cookies);
  return answer.body;
}

function cookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`;
}

/**
 * Returns the session's token from a request's `Cookie` header; `undefined` also if there are two, because one of them
 * is not ours.
 */
export function sessionToken(header: string | undefined): string | undefined {
  return cookieValue(header, SESSION);
}

/** Returns the cookie that identifies a known browser, if there is one. */
export function knownBrowser(header: string | undefined): string | undefined {
  return cookieValue(header, KNOWN_BROWSER);
}

/** Returns the cookie of a sign-in at a provider that this browser has begun. */
export function flowCookie(header: string | undefined): string | undefined {
  return cookieValue(header, FLOW);
}

/** Returns the cookie of a request for a passkey that this browser was given. */
export function challengeCookie(header: string | undefined): string | undefined {
  return cookieValue(header, CHALLENGE);
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  const values = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}
