import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Identity, LOGOUT_PATH } from "../../identity/identity.ts";
import { type AddressRange, addressBlock } from "../../lib/address.ts";
import type { Clock } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { createAddressLimit } from "../../lib/limits/address-limit.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { RequestCounts } from "../../lib/limits/request-counts.ts";
import { nothingHere } from "../http/nothing-here.ts";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { clientAddress } from "../listener/client-address.ts";
import { Refusal } from "../problem.ts";

export interface LogoutTools {
  identity: Pick<Identity, "endAtProvider">;
  clock: Clock;
  limits: Limits;
  proxies: readonly AddressRange[];
  authenticated(request: FastifyRequest["raw"]): void;
  requestCounts: RequestCounts;
}

const PATH = `${LOGOUT_PATH}/:tenantId`;
/** The greatest size of the form: providers send one token. */
const MOST_BODY_BYTES = 16 * 1024;

/**
 * Serves the address to which identity providers report logouts (OpenID Connect Back-Channel Logout 1.0, 2.5). The
 * token in the form authenticates the request; without a valid one it counts as a stranger's.
 */
export function serveProviderLogout(root: FastifyInstance, tools: LogoutTools): void {
  const { identity, clock, limits, proxies, authenticated, requestCounts: counts } = tools;
  const rate = createAddressLimit(limits.providerLogoutsPerMinute, clock, { name: "provider-logouts", counts });
  root.register(async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: MOST_BODY_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    );
    app.post(PATH, async (request, reply) => {
      const { raw, body, params } = request;
      const { tenantId } = params as { tenantId: string };
      if (!isUuid(tenantId)) throw nothingHere();
      const address = clientAddress(raw.socket.remoteAddress, raw.headers["x-forwarded-for"], proxies);
      const waitSeconds = rate.admit(addressBlock(address));
      if (waitSeconds > 0)
        throw new Refusal("rate_limited", "too many requests from this address", {
          extra: { retryAfterSeconds: waitSeconds },
        });
      const token = body instanceof URLSearchParams ? (body.get("logout_token") ?? "") : "";
      await identity.endAtProvider({ tenantId, token, address });
      authenticated(raw);
      return reply.header("cache-control", "no-store").code(200).send();
    });
    refuseOtherMethods(app, PATH, ["POST"]);
  });
}
