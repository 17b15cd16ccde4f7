import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../problem.ts";

/** An authority or nothing: no blank, path or user (RFC 9112 3.2). */
const HOST = /^[^\s/?#@\\,]*$/;

/**
 * Answers, with our error body, requests that Node would answer itself: those without exactly one valid `Host`, and
 * unknown expectations. `100 Continue` is sent after the checks of key, rate limit and scope, so that a client that
 * waits for it sends no body for a refused request (RFC 9110 10.1.1).
 */
export function installExpectations(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    const refusal = hostRefusal(request.raw) ?? expectationRefusal(request.raw);
    // The server cannot know whether the client still sends the body of a refused request, so it closes the connection.
    if (refusal || expectation(request.raw) !== undefined) reply.header("connection", "close");
    done(refusal);
  });
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (expectation(request.raw) !== undefined) {
      const tooLarge = Number(request.headers["content-length"]) > (request.routeOptions.bodyLimit ?? 0);
      if (!tooLarge) {
        reply.removeHeader("connection");
        reply.raw.writeContinue();
      }
    }
    done(null, payload);
  });
}

function hostRefusal({ httpVersion, rawHeaders, headers }: IncomingMessage): Refusal | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === "host") hosts++;
  if (hosts === 0 && httpVersion === "1.0") return undefined;
  if (hosts === 1 && HOST.test(headers.host ?? "")) return undefined;
  return new Refusal("invalid_request", "a request needs exactly one Host header", {
    middleware: "router",
    detail: "Host",
  });
}

function expectationRefusal(raw: IncomingMessage): Refusal | undefined {
  const expected = expectation(raw);
  if (expected === undefined || expected.toLowerCase() === "100-continue") return undefined;
  return new Refusal("expectation_failed", "the only expectation understood is 100-continue");
}

/** Returns the expectation; HTTP/1.0 has none (RFC 9110 10.1.1). */
function expectation({ httpVersion, headers }: IncomingMessage): string | undefined {
  return httpVersion === "1.0" ? undefined : headers.expect;
}
