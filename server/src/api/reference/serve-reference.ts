import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { vary } from "../http/vary.ts";
import { noneMatch } from "../pipeline/entity-tag.ts";
import { Refusal } from "../problem.ts";
import { ROOT } from "./links.ts";
import { createReference, type File, type Reference } from "./reference.ts";

/** Styles, scripts and images only from this service, and none inline; forms send nothing. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * A reader of several pages fetches style and script once; after an update old ones are used for at most five minutes.
 */
const CACHING = "public, max-age=300";

/**
 * Serves the API reference (docs/decisions/0009-api-reference.md) and the OpenAPI documents (spec 4.9, 9), without
 * authentication.
 */
export function serveReference(app: FastifyInstance, addresses: { baseUrl: string; brokerUrl: string }): void {
  let created: Promise<Reference> | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split("?", 1)[0]!;
    if (path === "/docs" || path === "/docs/" || path === `${ROOT}/`) return reply.redirect(ROOT, 308);
    created ??= createReference(addresses);
    const reference = await created;
    const file = reference.file(path);
    return file ? send(request, reply, file) : missing(request, reply, reference.missing);
  };
  for (const path of [
    "/docs",
    "/docs/",
    ROOT,
    `${ROOT}/*`,
    "/openapi/public.json",
    "/openapi/device.json",
    "/openapi/plant.schema.json",
  ]) {
    app.get(path, { config: { isStatic: true } }, answer);
    refuseOtherMethods(app, path, ["GET"]);
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { type, bytes, tag }: File): FastifyReply {
  // A weak tag, so that it holds for every compression of the content.
  reply.header("cache-control", CACHING).header("etag", `W/${tag}`).type(type);
  if (type.startsWith("text/html")) reply.header("content-security-policy", PAGE_POLICY);
  return noneMatch(request.headers["if-none-match"], tag) ? reply.code(304).send() : reply.send(bytes);
}

/** Answers a browser with a page of links, and a program with the usual error body. */
function missing(request: FastifyRequest, reply: FastifyReply, page: () => File): FastifyReply {
  vary(reply, "Accept");
  if (!request.headers.accept?.includes("text/html")) {
    throw new Refusal("not_found", "there is nothing at this address", { middleware: "router" });
  }
  const { type, bytes } = page();
  return reply.code(404).header("content-security-policy", PAGE_POLICY).type(type).send(bytes);
}
