import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Access, type Caller, requireScope } from "../access/access.ts";
import type { PeerCertificate } from "../enrollment/enrollment.ts";
import { addressBlock } from "../lib/address.ts";
import type { AddressLimit } from "./address-limit.ts";
import { clientAddress, type TrustedProxies } from "./client-address.ts";
import { Refusal } from "./problem.ts";
import type { DeviceContact, Faces, PublicRoute, Route } from "./route.ts";
import { validate } from "./validate.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks: set by the guard of the route before the body is read. */
    who: Caller | DeviceContact | undefined;
  }
}

/** What the pipeline works with. */
export interface PipelineTools {
  access: Access;
  faces: Faces;
  proxies: TrustedProxies;
  peerOf: (request: FastifyRequest["raw"]) => PeerCertificate | undefined;
  deviceLimit: AddressLimit;
}

const KIB = 1024;
/** Most bytes of a body (docs/api-conventions.md). */
export const BODY_LIMIT = { public: 256 * KIB, device: 16 * KIB };

/**
 * Puts a route on the server. Its checks run in the order authentication → rate limit → scope → validation → handler;
 * the first three before a byte of the body is read.
 */
export function mount(app: FastifyInstance, route: Route, tools: PipelineTools): void {
  const guard = route.surface === "public" ? publicGuard(route, tools) : deviceGuard(tools);
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    bodyLimit: BODY_LIMIT[route.surface],
    onRequest: guard,
    handler: async (request, reply) => {
      const input = validate(route, request);
      const answer = await handle(route, request.who, input, tools.faces);
      reply.code(route.status);
      return route.response ? answer : reply.send();
    },
  });
}

function handle(route: Route, who: unknown, input: unknown, faces: Faces): Promise<unknown> {
  return route.surface === "public"
    ? route.handler(who as Caller, input, faces)
    : route.handler(who as DeviceContact, input, faces);
}

function publicGuard(route: PublicRoute, { access, proxies }: PipelineTools) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header("cache-control", "no-store");
    const key = request.headers["x-api-key"];
    const caller = await access.authenticateKey(typeof key === "string" ? key : undefined, addressOf(request, proxies));
    const { limit, windowSeconds, remaining, resetSeconds, admitted } = await access.admitRequest(caller);
    reply.header("ratelimit-policy", `"key";q=${limit};w=${windowSeconds}`);
    reply.header("ratelimit", `"key";r=${remaining};t=${resetSeconds}`);
    if (!admitted) {
      throw new Refusal("rate_limited", `at most ${limit} requests in any ${windowSeconds} seconds a key`, {
        extra: { retryAfterSeconds: resetSeconds },
      });
    }
    requireScope(caller, route.scope);
    request.who = caller;
  };
}

function deviceGuard({ proxies, peerOf, deviceLimit }: PipelineTools) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header("cache-control", "no-store");
    const address = addressOf(request, proxies);
    const waitSeconds = deviceLimit.admit(addressBlock(address));
    if (waitSeconds > 0) {
      throw new Refusal("rate_limited", "too many requests from this address", {
        extra: { retryAfterSeconds: waitSeconds },
      });
    }
    const peer = peerOf(request.raw);
    request.who = peer ? { address, peer } : { address };
  };
}

function addressOf({ raw }: FastifyRequest, proxies: TrustedProxies): string {
  return clientAddress(raw.socket.remoteAddress, raw.headers["x-forwarded-for"], proxies);
}
