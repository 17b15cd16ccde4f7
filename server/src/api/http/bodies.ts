import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "../problem.ts";
import { parseJsonBody } from "./json-body.ts";

/**
 * Accepts bodies of uncompressed JSON in UTF-8; for PATCH also with the media type of a JSON merge patch (RFC 7396).
 * The body of a DELETE has no meaning (RFC 9110 9.3.5) and is not read, as for GET.
 */
export function installBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ["application/json", "application/merge-patch+json"],
    { parseAs: "buffer" },
    (request, body, done) => {
      try {
        done(null, parse(request, body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  app.addContentTypeParser("*", (request, _body, done) => {
    done(request.method === "DELETE" ? null : unsupported("the body must be application/json"));
  });
  app.addHook("preParsing", (request, _reply, payload, done) => {
    // Without a content type no parser reads the body.
    if (request.method === "DELETE") delete request.headers["content-type"];
    done(null, payload);
  });
}

function parse(request: FastifyRequest, body: Buffer): unknown {
  const type = request.headers["content-type"] ?? "";
  if (/merge-patch/i.test(type) && request.method !== "PATCH") {
    throw unsupported("only PATCH takes a merge patch; the body must be application/json");
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) throw unsupported("the body must be in UTF-8");
  if (isEncoded(request.headers["content-encoding"])) throw unsupported("the body must not be compressed");
  return parseJsonBody(body);
}

function isEncoded(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding.toLowerCase() !== "identity";
}

function unsupported(message: string): Refusal {
  return new Refusal("unsupported_media_type", message);
}
