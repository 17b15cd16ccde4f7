import type { FastifyReply } from "fastify";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";

/** A browser accepts it from this host alone, over TLS, for every path (RFC 6265bis 4.1.3.2). */
const SESSION = "__Host-muster";
/** The database decides how long a session lasts; the browser forgets the cookie no sooner. */
const SESSION_SECONDS = DEFAULT_LIMITS.sessionMinutes * 60;

/** By it a browser is known that a user signed in with before; browsers delete cookies after 400 days at the latest. */
const KNOWN_BROWSER = "__Host-muster-known";
const KNOWN_BROWSER_SECONDS = 180 * 24 * 3600;

/** The cookies of an answer: the token of the session, or nothing when it has ended. */
interface Cookies {
  token: string | undefined;
  browser?: string | undefined;
}

/** An answer that begins, renews or ends a session. */
export class SessionAnswer {
  readonly body: unknown;
  readonly cookies: Cookies;

  constructor(body: unknown, cookies: Cookies) {
    this.body = body;
    this.cookies = cookies;
  }
}

/** The answer `body` with the cookie of a session from now on. */
export function withSession(body: unknown, cookies: { token: string; browser?: string }): SessionAnswer {
  return new SessionAnswer(body, cookies);
}

/** The answer to a request that ended the session. */
export function ended(): SessionAnswer {
  return new SessionAnswer(undefined, { token: undefined });
}

/** Sets the cookies of an answer. @returns its body */
export function withoutCookies(reply: FastifyReply, answer: unknown): unknown {
  if (!(answer instanceof SessionAnswer)) return answer;
  const { token, browser } = answer.cookies;
  const session = token === undefined ? cookie(SESSION, "", 0) : cookie(SESSION, token, SESSION_SECONDS);
  const known = browser === undefined ? [] : [cookie(KNOWN_BROWSER, browser, KNOWN_BROWSER_SECONDS)];
  reply.header("set-cookie", [session, ...known]);
  return answer.body;
}

function cookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`;
}

/** The session's token in a request's `Cookie` header; `undefined` also when it holds two: one of them is not ours. */
export function sessionToken(header: string | undefined): string | undefined {
  return cookieValue(header, SESSION);
}

/** What the browser is known by, where it is. */
export function knownBrowser(header: string | undefined): string | undefined {
  return cookieValue(header, KNOWN_BROWSER);
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  const values = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}
