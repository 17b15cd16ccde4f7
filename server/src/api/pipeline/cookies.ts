import type { FastifyReply } from "fastify";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";

/** A browser accepts it from this host alone, over TLS, for every path (RFC 6265bis 4.1.3.2). */
const SESSION = "__Host-muster";
/** The database decides how long a session lasts; the browser forgets the cookie no sooner. */
const SESSION_SECONDS = DEFAULT_LIMITS.sessionMinutes * 60;

/** An answer that begins or ends a session. */
export class SessionAnswer {
  readonly body: unknown;
  /** The token of the session from now on; absent when it has ended. */
  readonly token: string | undefined;

  constructor(body: unknown, token: string | undefined) {
    this.body = body;
    this.token = token;
  }
}

/** The answer `body` with the cookie of a session that has begun. */
export function signedIn(body: unknown, token: string): SessionAnswer {
  return new SessionAnswer(body, token);
}

/** The answer to a request that ended the session. */
export function ended(): SessionAnswer {
  return new SessionAnswer(undefined, undefined);
}

/** Sets the cookies of an answer. @returns its body */
export function withoutCookies(reply: FastifyReply, answer: unknown): unknown {
  if (!(answer instanceof SessionAnswer)) return answer;
  const { body, token } = answer;
  reply.header("set-cookie", token === undefined ? cookie(SESSION, "", 0) : cookie(SESSION, token, SESSION_SECONDS));
  return body;
}

function cookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`;
}

/** The session's token in a request's `Cookie` header; `undefined` also when it holds two: one of them is not ours. */
export function sessionToken(header: string | undefined): string | undefined {
  return cookieValue(header, SESSION);
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  const values = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}
