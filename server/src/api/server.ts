import type { IncomingMessage } from "node:http";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Access, BoundFunctions } from "../access/access.ts";
import type { Audit } from "../audit/audit.ts";
import type { Authorities } from "../authorities/authorities.ts";
import type { AddressRange } from "../lib/address.ts";
import type { Clock } from "../lib/clock.ts";
import { isMusterError } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics.ts";
import { installConventions, SECURITY_HEADERS } from "./http/conventions.ts";
import { installHealth, type Readiness } from "./http/health.ts";
import { createRequestIds } from "./http/request-id.ts";
import { answerUnreadable, createListener, secureContext } from "./listener/listener.ts";
import { createMetricsServer } from "./listener/metrics-server.ts";
import { createPeerReader } from "./listener/peer-certificate.ts";
import { type KeyPairFiles, type ServerCertificate, watchKeyPair } from "./listener/server-certificate.ts";
import { createAddressLimit } from "./pipeline/address-limit.ts";
import { mountRoutes } from "./pipeline/mount-routes.ts";
import { type Problem, problemOf } from "./problem.ts";

/** The part of the configuration that this surface uses. */
export interface ApiConfig {
  http: { host: string; port: number };
  metrics: { host: string; port: number };
  operatorTls: KeyPairFiles | undefined;
  trustedProxies: readonly AddressRange[];
  /** Requests a minute and address at the device-facing endpoints; 0 for no limit. */
  deviceRequestsPerMinute: number;
  /** Origins whose pages may read the public API. */
  corsOrigins: readonly string[];
}

export interface ApiDeps {
  config: ApiConfig;
  access: Access;
  audit: Audit;
  authorities: Authorities;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Metrics;
  /** The use cases and services that routes call. */
  bound: BoundFunctions;
  readiness: Readiness;
  /** Pages for people beside the API, such as its reference. */
  pages: readonly ServePages[];
  /** Where clients reach the service; valid after start. */
  addresses: { readonly baseUrl: string; readonly brokerUrl: string };
  /** Whether an error means that the database cannot be reached or written now. */
  isUnavailable: (error: unknown) => boolean;
}

/** Adds pages to the server. */
export type ServePages = (app: FastifyInstance, addresses: { baseUrl: string; brokerUrl: string }) => void;

/** The HTTPS surface: public API, device-facing endpoints, health; and the metrics on a port of their own. */
export interface Api {
  start(): Promise<{ port: number }>;
  /** Takes no new connection, finishes what is under way, then closes. */
  stop(): Promise<void>;
  /** Looks for a new operator certificate now, rather than within five seconds. */
  reloadCertificate(): Promise<boolean>;
  /** The listening server; valid after start. */
  readonly server: Server;
  /** Where Prometheus reads; valid after start. */
  readonly metricsUrl: string;
}

/** How long open requests may take once the service is stopping. */
const DRAIN_MS = 10_000;

export function createApi(deps: ApiDeps): Api {
  const { config, authorities, logger, metrics } = deps;
  const metricsServer = createMetricsServer(metrics, config.metrics);
  let certificate: ServerCertificate | undefined;
  let app: FastifyInstance | undefined;
  let forget: () => void = () => undefined;

  const context = () => secureContext(certificate?.current() ?? authorities.httpsTls(), authorities.deviceRootsPem());
  const renewContext = () => {
    try {
      if (app) (app.server as Server).setSecureContext(context());
    } catch (error) {
      logger.error({ err: (error as Error).message }, "the HTTPS certificates could not be replaced");
    }
  };

  return {
    async start() {
      if (config.operatorTls) certificate = await watchKeyPair(config.operatorTls, logger, renewContext);
      app = buildApp(deps, context);
      forget = authorities.onChange(renewContext);
      await metricsServer.start();
      await app.listen({ host: config.http.host, port: config.http.port });
      return { port: (app.server.address() as AddressInfo).port };
    },
    async stop() {
      forget();
      await certificate?.stop();
      if (app) await drain(app);
      await metricsServer.stop();
    },
    reloadCertificate: async () => (await certificate?.reload()) ?? false,
    get server() {
      if (!app) throw new Error("the API has not been started");
      return app.server as Server;
    },
    get metricsUrl() {
      return metricsServer.url;
    },
  };
}

async function drain(app: FastifyInstance): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearTimeout(late);
}

function buildApp(deps: ApiDeps, context: () => Parameters<typeof createListener>[0]): FastifyInstance {
  const requestIds = createRequestIds(deps.ids);
  const sendProblem = problemSender(deps);
  const app = Fastify({
    serverFactory: (handler) =>
      createListener(context(), (request, response) => handler(withRoutedMethod(request, routed), response)),
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, requestIds.fresh()),
    genReqId: (request) => requestIds.of(request),
    // One line a request would cost more than the request; what goes wrong is logged below.
    logger: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256 },
    rewriteUrl: ({ url = "" }) => originForm(url),
    // An address that cannot be decoded meets no hook.
    frameworkErrors: (error, request, reply) =>
      void sendProblem(error, request as FastifyRequest, reply.headers(SECURITY_HEADERS) as FastifyReply),
  }) as unknown as FastifyInstance;
  const routed = new Set(app.supportedMethods);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  installConventions(app, deps.config);
  observe(app, deps);
  hangUpWhenStopping(app);
  installHealth(app, deps.readiness);
  for (const serve of deps.pages) serve(app, deps.addresses);
  const proxies = deps.config.trustedProxies;
  mountRoutes(app, {
    access: deps.access,
    audit: deps.audit,
    bound: deps.bound,
    logger: deps.logger,
    proxies,
    peerOf: createPeerReader(deps.authorities, proxies),
    deviceLimit: createAddressLimit(deps.config.deviceRequestsPerMinute, deps.clock),
  });
  return app;
}

/**
 * A method that the router does not know (`PROPFIND`) is to it as one that no address has: refused like that with 405 and `Allow` where
 * there is something, with 404 elsewhere.
 */
function withRoutedMethod(request: IncomingMessage, routed: ReadonlySet<string>): IncomingMessage {
  if (!routed.has(request.method!)) request.method = "TRACE";
  return request;
}

/** What routes take and give is zod's: Fastify would load two compilers of JSON Schema for nobody, a quarter of a start. */
function noSchemas(): never {
  throw new Error("a route was given a JSON schema");
}

/**
 * `GET https://somewhere/path` asks for `/path` here, whoever it names (RFC 9112 3.2.2): addresses never come from it. What is
 * neither that nor a path, such as `*`, becomes an address at which there is nothing.
 */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const [, rest] = /^https?:\/\/[^/?]*(.*)$/is.exec(target) ?? [undefined, "/*"];
  return rest!.startsWith("/") ? rest! : `/${rest}`;
}

function problemSender({ logger, isUnavailable }: ApiDeps) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = problemOf(error, request.id, isUnavailable);
    if (problem.unforeseen) {
      const cause = isMusterError(error) ? (error.cause ?? error) : error;
      logger.error({ requestId: request.id, route: request.routeOptions?.url, err: describe(cause) }, "request failed");
    }
    logRefusal(logger, request, problem);
    return reply
      .code(problem.status)
      .headers({ ...problem.headers, "x-request-id": request.id })
      .send(problem.body);
  };
}

/**
 * A refused request of somebody who is known leaves a line, so that its request id leads somewhere; their number is bounded by
 * the rate limit. What strangers try is counted (metrics) and told at debug only.
 */
function logRefusal(logger: Logger, request: FastifyRequest, { status, body }: Problem): void {
  const actor = request.who && "actor" in request.who ? request.who.actor : undefined;
  const level = actor && status < 500 ? "info" : "debug";
  if (!logger.isLevelEnabled(level)) return;
  const route = request.routeOptions?.url ?? "none";
  logger[level]({ requestId: request.id, actor, method: request.method, route, status, error: body.error }, "refused");
}

/** What the log may know of an error: never its own fields, which could carry a statement's parameters. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  return { type: error.name, code: (error as { code?: unknown }).code, stack: error.stack };
}

/** Whoever is answered last keeps no connection open: the stop would wait for a next request on it. */
function hangUpWhenStopping(app: FastifyInstance): void {
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (!app.server.listening) reply.header("connection", "close");
    done(null, payload);
  });
}

/** Counts every answer; names it in the log at debug, by its route and never by its address, which may hold anything. */
function observe(app: FastifyInstance, { metrics, logger }: Pick<ApiDeps, "metrics" | "logger">): void {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none");
    const { method } = request;
    const { statusCode: status, elapsedTime: ms } = reply;
    metrics.http.observe({ method, route, status }, ms / 1000);
    if (logger.isLevelEnabled("debug")) logger.debug({ requestId: request.id, method, route, status, ms }, "request");
    done();
  });
}
