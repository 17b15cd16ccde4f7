import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type AddressRange, addressBlock } from "../../lib/address.ts";
import type { Clock } from "../../lib/clock.ts";
import { type AddressLimit, createAddressLimit } from "../../lib/limits/address-limit.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import { records } from "../../lib/limits/records.ts";
import type { RequestCounts } from "../../lib/limits/request-counts.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";
import { descriptionsOf, type Provisioner, type Resource, type Scim } from "../../scim/scim.ts";
import { parseJsonBody } from "../http/json-body.ts";
import { nothingHere } from "../http/nothing-here.ts";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { clientAddress } from "../listener/client-address.ts";
import { BODY_LIMIT } from "../pipeline/pipeline.ts";
import { Refusal } from "../problem.ts";
import { answerScimError } from "./scim-errors.ts";
import { listAnswer, listQuery, projection, type Query, searchQuery } from "./scim-queries.ts";

export const SCIM_PATH = "/scim/v2";

export interface ScimTools {
  scim: Scim;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, "scimRequests">;
  limits: Limits;
  proxies: readonly AddressRange[];
  authenticated(request: FastifyRequest["raw"]): void;
  requestCounts: RequestCounts;
  addresses: { readonly baseUrl: string };
  isUnavailable: (error: unknown) => boolean;
}

/** The functions of one kind of resource. */
interface Kind {
  path: string;
  list: Scim["listUsers"];
  get: Scim["getUser"];
  create: Scim["createUser"];
  replace: Scim["replaceUser"];
  patch: Scim["patchUser"];
  remove: Scim["deleteUser"];
}

const MEDIA_TYPE = "application/scim+json; charset=utf-8";

/** Serves SCIM 2.0 (RFC 7643, 7644) to the identity providers of tenants. */
export function serveScim(root: FastifyInstance, tools: ScimTools): void {
  const { scim } = tools;
  const kinds: Kind[] = [
    {
      path: "/Users",
      list: scim.listUsers,
      get: scim.getUser,
      create: scim.createUser,
      replace: scim.replaceUser,
      patch: scim.patchUser,
      remove: scim.deleteUser,
    },
    {
      path: "/Groups",
      list: scim.listGroups,
      get: scim.getGroup,
      create: scim.createGroup,
      replace: scim.replaceGroup,
      patch: scim.patchGroup,
      remove: scim.deleteGroup,
    },
  ];
  root.register(
    async (app: FastifyInstance) => {
      app.addContentTypeParser(
        "application/scim+json",
        { parseAs: "buffer", bodyLimit: BODY_LIMIT.admin },
        (_request, body, done) => {
          try {
            done(null, parseJsonBody(body as Buffer));
          } catch (error) {
            done(error as Error);
          }
        },
      );
      app.setErrorHandler(answerScimError(tools));
      app.addHook("onRequest", guard(tools));
      app.addHook("onResponse", async ({ method }, { statusCode: status }) => {
        tools.metrics.scimRequests.inc({ method, status });
      });
      for (const kind of kinds) serveKind(app, kind);
      serveSearch(app, kinds);
      serveDescriptions(app, tools);
      // Everything below is answered in the form of the protocol.
      app.all("/*", () => {
        throw nothingHere();
      });
    },
    { prefix: SCIM_PATH },
  );
}

/** Authenticates a request by its bearer token and counts it, before its body is read. */
function guard({ scim, clock, limits, proxies, authenticated, requestCounts: counts }: ScimTools) {
  const rate = createAddressLimit(limits.scimRequestsPerMinute, clock, { name: "scim", counts });
  const guesses = createAddressLimit(limits.scimGuessesPerMinute, clock, { name: "scim-guesses", counts });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header("cache-control", "no-store");
    const { raw } = request;
    const address = clientAddress(raw.socket.remoteAddress, raw.headers["x-forwarded-for"], proxies);
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const holder = token === undefined ? undefined : await scim.provisionerOf(token, address);
    if (!holder) {
      requireRate(guesses, addressBlock(address));
      throw new Refusal("invalid_credentials", "this needs the provisioning token of a tenant as bearer token");
    }
    requireRate(rate, holder.tenantId);
    authenticated(raw);
    request.provisioner = holder;
  };
}

function requireRate(limit: AddressLimit, key: string): void {
  const waitSeconds = limit.admit(key);
  if (waitSeconds > 0)
    throw new Refusal("rate_limited", "too many requests", { extra: { retryAfterSeconds: waitSeconds } });
}

declare module "fastify" {
  interface FastifyRequest {
    /** The identity provider that sent the request, set before its body is read. */
    provisioner?: Provisioner;
  }
}

type WithId = { Params: { id: string } };
const by = (request: FastifyRequest) => request.provisioner!;
const ifMatch = (request: FastifyRequest) => ({ ifMatch: request.headers["if-match"] });

function serveKind(app: FastifyInstance, { path, list, get, create, replace, patch, remove }: Kind): void {
  app.get(path, async (request, reply) => {
    const query = request.query as Query;
    const asked = listQuery(query);
    return reply.type(MEDIA_TYPE).send(listAnswer(await list(by(request), asked), asked, query));
  });
  app.post(path, async (request, reply) => {
    const made = await create(by(request), request.body);
    return answer(request, reply.code(201).header("location", made.meta.location), made);
  });
  app.get<WithId>(`${path}/:id`, async (request, reply) => {
    const found = await get(by(request), request.params.id);
    const tags = request.headers["if-none-match"];
    if (tags?.split(",").some((tag) => tag.trim() === found.meta.version || tag.trim() === "*"))
      return reply.code(304).send();
    return answer(request, reply, found);
  });
  app.put<WithId>(`${path}/:id`, async (request, reply) => {
    const { body, params } = request;
    return answer(request, reply, await replace(by(request), params.id, { body, ...ifMatch(request) }));
  });
  app.patch<WithId>(`${path}/:id`, async (request, reply) => {
    const { body, params } = request;
    return answer(request, reply, await patch(by(request), params.id, { body, ...ifMatch(request) }));
  });
  app.delete<WithId>(`${path}/:id`, async (request, reply) => {
    await remove(by(request), request.params.id, ifMatch(request));
    return reply.code(204).send();
  });
  app.post(`${path}/.search`, async (request, reply) => {
    const { asked, shown } = searchQuery(request.body);
    return reply.type(MEDIA_TYPE).send(listAnswer(await list(by(request), asked), asked, shown));
  });
}

function answer(request: FastifyRequest, reply: FastifyReply, resource: Resource): FastifyReply {
  return reply
    .type(MEDIA_TYPE)
    .header("etag", resource.meta.version)
    .send(projection(request.query as Query)(resource));
}

/** A search over all kinds lists users before groups. */
function serveSearch(app: FastifyInstance, [users, groups]: Kind[]): void {
  app.post("/.search", async (request, reply) => {
    const { asked, shown } = searchQuery(request.body);
    const first = await users!.list(by(request), asked);
    const startIndex = Math.max(1, asked.startIndex - first.totalResults);
    const count = asked.count - first.resources.length;
    const second = await groups!.list(by(request), { ...asked, startIndex, count });
    const totalResults = first.totalResults + second.totalResults;
    const listed = { totalResults, resources: [...first.resources, ...second.resources] };
    return reply.type(MEDIA_TYPE).send(listAnswer(listed, asked, shown));
  });
}

function serveDescriptions(app: FastifyInstance, { addresses }: ScimTools): void {
  const described = () => descriptionsOf(`${addresses.baseUrl}${SCIM_PATH}`, records.scimResults.value);
  const get = (path: string, read: (id: string) => unknown) => {
    app.get<WithId>(path, async (request, reply) => {
      const found = read(request.params.id);
      if (found === undefined) throw nothingHere();
      return reply.type(MEDIA_TYPE).send(found);
    });
    refuseOtherMethods(app, path, ["GET"]);
  };
  const whole = (resources: object[]) =>
    listAnswer(
      { totalResults: resources.length, resources: resources as never },
      { startIndex: 1, count: resources.length },
      {},
    );
  get("/ServiceProviderConfig", () => described().config);
  get("/Schemas", () => whole(described().schemas));
  get("/Schemas/:id", (id) => described().schemas.find((each) => each.id === id));
  get("/ResourceTypes", () => whole(described().resourceTypes));
  get("/ResourceTypes/:id", (id) => described().resourceTypes.find((each) => each.id === id));
}
