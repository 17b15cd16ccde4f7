import type { FastifyReply, FastifyRequest } from "fastify";
import type { Route } from "../route.ts";
import { everyRoute } from "../routes.ts";
import { entityTag, noneMatch } from "./entity-tag.ts";
import { nextLink } from "./next-link.ts";

/**
 * Reports whether `route` answers with one record that has an address of its own: such an answer carries an entity tag.
 */
export function showsRecord(route: Route): boolean {
  return route.surface !== "device" && route.path.endsWith("{id}") && route.status === 200;
}

/** Reports whether `route` lists pages. */
export function listsPages(route: Route): boolean {
  return route.query !== undefined && "shape" in route.query && "skip" in (route.query.shape as object);
}

const readable = new Set(
  everyRoute.filter(({ method }) => method === "GET").map(({ path }) => path.replace(/\{\w+\}$/, "{id}")),
);

/** Reports whether `route` creates a record that has an address of its own: `Location` names it (RFC 9110 15.3.2). */
export function makesRecord(route: Route): boolean {
  return route.status === 201 && readable.has(`${route.path}/{id}`);
}

/** Sets `Location`, as a relative address, if `answer` is a created record that can be read. */
export function setLocation(route: Route, reply: FastifyReply, answer: unknown): void {
  if (!makesRecord(route)) return;
  const [path] = reply.request.url.split("?");
  const id = (answer as Record<string, string>)[route.addressedBy ?? "id"]!;
  reply.header("location", `${path}/${encodeURIComponent(id)}`);
}

/**
 * Sets the headers that depend on the answer: `ETag` of a record, `Link` to the next page, `Location` of a created
 * record.
 *
 * @returns whether the client already has this answer, so that 304 is sufficient
 */
export function setAnswerHeaders(route: Route, request: FastifyRequest, reply: FastifyReply, answer: unknown): boolean {
  if (showsRecord(route)) {
    const tag = entityTag(answer as object, route.volatile);
    reply.header("etag", tag);
    return route.method === "GET" && noneMatch(request.headers["if-none-match"], tag);
  }
  setLocation(route, reply, answer);
  const link = listsPages(route) ? nextLink(request.url, answer) : undefined;
  if (link) reply.header("link", link);
  return false;
}
