import type { FastifyRequest } from "fastify";
import { Refusal } from "../problem.ts";

/** Methods that change nothing; a browser sends a link's GET without an `Origin`. */
const READS = new Set(["GET", "HEAD"]);

/**
 * Refuses a request that a page of another origin caused: `Sec-Fetch-Site` must be `same-origin` or, without that
 * header, `Origin` must be this service's own (docs/spec-decisions.md, Admin API). No current browser sends a request
 * with neither header. Such a request is refused only if it writes with a cookie, which a page of another origin might
 * have made a browser send.
 *
 * @param baseUrl the address at which clients reach the service
 * @throws Refusal foreign_origin
 */
export function requireOwnOrigin({ headers, method }: FastifyRequest, baseUrl: string): void {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return void (site === "same-origin" || refuse(`Sec-Fetch-Site: ${site}`));
  const { origin } = headers;
  if (origin !== undefined) {
    const isOwn = origin === `https://${headers.host}` || origin === new URL(baseUrl).origin;
    return void (isOwn || refuse(`Origin: ${origin}`));
  }
  if (headers.cookie !== undefined && !READS.has(method)) refuse("neither Sec-Fetch-Site nor Origin");
}

function refuse(found: string): never {
  throw new Refusal("foreign_origin", "the admin API accepts requests only from the admin app's own pages", {
    detail: found.slice(0, 200),
  });
}
