import type { FastifyReply, FastifyRequest } from "fastify";
import { type Caller, requireMay } from "../../access/access.ts";
import type { PeerCertificate } from "../../certificates/certificates.ts";
import { type AddressRange, addressBlock } from "../../lib/address.ts";
import type { AddressLimit } from "../../lib/limits/address-limit.ts";
import { clientAddress } from "../listener/client-address.ts";
import { Refusal } from "../problem.ts";
import type { DeviceContact, PublicRoute, Route, SessionHolder, Visitor } from "../route.ts";
import type { createAdminGuard } from "./admin-guard.ts";
import type { KeyAdmissions } from "./key-admissions.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller, set by the route's guard before the body is read. */
    who: Caller | DeviceContact | Visitor | SessionHolder | undefined;
    /**
     * Refuses the request unless its user has recently entered password and second factor, on a route that needs this
     * for some requests. `deviceId` counts the request as one of the few that may concern a device without it.
     */
    requireStepUp?: (deviceId?: string) => Promise<void>;
  }
}

/** The dependencies of guards. */
export interface GuardTools {
  proxies: readonly AddressRange[];
  /** Reports to the listener that a request has shown valid credentials, within their limits. */
  authenticated(request: FastifyRequest["raw"]): void;
  keys: KeyAdmissions;
  peerOf: (request: FastifyRequest["raw"]) => PeerCertificate | undefined;
  deviceLimit: AddressLimit;
  adminGuard: ReturnType<typeof createAdminGuard>;
}

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Returns a guard that authenticates, limits the rate and checks the scope or the role, before a byte of the body is
 * read.
 */
export function guardOf(route: Route, tools: GuardTools): Guard {
  switch (route.surface) {
    case "public":
      return publicGuard(route, tools);
    case "device":
      return deviceGuard(tools);
    case "admin":
      return async (request, reply) => {
        reply.header("cache-control", "no-store");
        request.who = await tools.adminGuard(route, request);
      };
  }
}

function publicGuard(route: PublicRoute, tools: GuardTools): Guard {
  return async (request, reply) => {
    const key = request.headers["x-api-key"];
    const caller = await admitKey(request, reply, typeof key === "string" ? key : undefined, tools);
    requireMay(caller, route.useCase.may);
    request.who = caller;
  };
}

/**
 * Authenticates a request by its API key and counts it.
 *
 * @throws MusterError invalid_api_key
 * @throws Refusal rate_limited
 */
export async function admitKey(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string | undefined,
  { keys, proxies, authenticated }: Pick<GuardTools, "keys" | "proxies" | "authenticated">,
): Promise<Caller> {
  reply.header("cache-control", "no-store");
  const admission = await keys.admit(key, addressOf(request, proxies));
  const { caller, limit, windowSeconds, remaining, resetSeconds, admitted } = admission;
  reply.header("ratelimit-policy", `"key";q=${limit};w=${windowSeconds}`);
  reply.header("ratelimit", `"key";r=${remaining};t=${resetSeconds}`);
  if (!admitted) {
    throw new Refusal("rate_limited", `at most ${limit} requests in any ${windowSeconds} seconds per key`, {
      extra: { retryAfterSeconds: resetSeconds },
    });
  }
  authenticated(request.raw);
  return caller;
}

function deviceGuard({ proxies, peerOf, deviceLimit }: GuardTools): Guard {
  return async (request, reply) => {
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

function addressOf({ raw }: FastifyRequest, proxies: readonly AddressRange[]): string {
  return clientAddress(raw.socket.remoteAddress, raw.headers["x-forwarded-for"], proxies);
}
