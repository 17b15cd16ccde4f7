import type { IncomingMessage } from "node:http";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import Fastify, {
  type FastifyInstance,
  type FastifyListenOptions,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Access, BoundFunctions } from "../access/access.ts";
import type { Audit } from "../audit/audit.ts";
import type { Authorities } from "../authorities/authorities.ts";
import type { Identity } from "../identity/identity.ts";
import type { AddressRange } from "../lib/address.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { createAddressLimit } from "../lib/limits/address-limit.ts";
import { DEFAULT_LIMITS, type Limits } from "../lib/limits/limits.ts";
import type { RequestCounts } from "../lib/limits/request-counts.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import { reportCaps } from "../lib/sockets/cap-reports.ts";
import { mutualTls } from "../lib/sockets/mutual-tls.ts";
import { withTimeout } from "../lib/timeouts.ts";
import type { Scim } from "../scim/scim.ts";
import { serveBatch } from "./batch/serve-batch.ts";
import { ExportSlots } from "./export/export-slots.ts";
import { answerErrors } from "./http/answer-errors.ts";
import { installConventions, SECURITY_HEADERS } from "./http/conventions.ts";
import { installHealth, type Readiness } from "./http/health.ts";
import { observeAnswers } from "./http/observe-answers.ts";
import { createRequestIds } from "./http/request-id.ts";
import { answerUnreadable, createListener, type Listener } from "./listener/listener.ts";
import { createMetricsServer } from "./listener/metrics-server.ts";
import { createPeerReader } from "./listener/peer-certificate.ts";
import { refuseUnauthenticated } from "./listener/refuse-unauthenticated.ts";
import { type KeyPairFiles, type ServerCertificate, watchKeyPair } from "./listener/server-certificate.ts";
import { serveMcp } from "./mcp/serve-mcp.ts";
import { createAdminGuard } from "./pipeline/admin-guard.ts";
import { KeyAdmissions } from "./pipeline/key-admissions.ts";
import { mountRoutes } from "./pipeline/mount-routes.ts";
import { operationsOf } from "./pipeline/operations-of.ts";
import { serveScim } from "./scim/serve-scim.ts";
import { serveProviderLogout } from "./sign-in/provider-logout.ts";
import { StreamSlots } from "./stream/stream-slots.ts";

/** The part of the configuration that this surface uses. */
export interface ApiConfig {
  http: { host: string; port: number };
  /** Whether other processes also listen on the port. */
  sharesPort: boolean;
  /** Absent if another process serves the metrics. */
  metrics: { host: string; port: number } | undefined;
  operatorTls: KeyPairFiles | undefined;
  trustedProxies: readonly AddressRange[];
  proxyProtocolFrom: readonly AddressRange[];
  trustedClientCertProxies: readonly AddressRange[];
  limits: Limits;
  /** The origins whose pages may read the public API. */
  corsOrigins: readonly string[];
}

export interface ApiDeps {
  config: ApiConfig;
  access: Access;
  audit: Audit;
  authorities: Authorities;
  identity: Identity;
  scim: Scim;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Metrics;
  /** The use cases and services that routes call. */
  bound: BoundFunctions;
  readiness: Readiness;
  /** The counts that the limits on addresses and sessions exchange with other processes. */
  requestCounts: RequestCounts;
  /** Pages for people, such as the API reference. */
  pages: readonly ServePages[];
  /** The addresses at which clients reach the service; valid after start. */
  addresses: { readonly baseUrl: string; readonly brokerUrl: string };
  /** Reports whether an error means that the database cannot be reached or written now. */
  isUnavailable: (error: unknown) => boolean;
}

/** Adds pages to the server. */
export type ServePages = (app: FastifyInstance, addresses: { baseUrl: string; brokerUrl: string }) => void;

/** The HTTPS surface: public API, device-facing endpoints, health; and the metrics on a port of their own. */
export interface Api {
  start(): Promise<{ port: number }>;
  /** Accepts no new connections, finishes running requests, then closes. */
  stop(): Promise<void>;
  /**
   * Checks for a new operator certificate now instead of within five seconds.
   *
   * @returns whether one is in use from now on
   */
  reloadCertificate(): Promise<boolean>;
  /** The listening server; valid after start. */
  readonly server: Server;
  /** The address that Prometheus scrapes; valid after start. */
  readonly metricsUrl: string;
}

/** The longest that open requests may take once the service is stopping. */
const DRAIN_MS = 10_000;
/** The longest that live streams may take to send their last message. */
const STREAMS_MS = 1_000;

export function createApi(deps: ApiDeps): Api {
  const { config, authorities, logger, metrics } = deps;
  const metricsServer = config.metrics && createMetricsServer(metrics, config.metrics);
  const slots = new StreamSlots(config.limits);
  let certificate: ServerCertificate | undefined;
  let app: FastifyInstance | undefined;
  let forget: () => void = () => undefined;

  const context = () => mutualTls(certificate?.current() ?? authorities.httpsTls(), authorities.clientIssuers());
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
      app = buildApp(deps, context, slots);
      forget = authorities.onChange(renewContext);
      await metricsServer?.start();
      // Fastify passes the options to Node, but does not declare this one.
      await app.listen({ ...config.http, reusePort: config.sharesPort } as FastifyListenOptions);
      return { port: (app.server.address() as AddressInfo).port };
    },
    async stop() {
      forget();
      await certificate?.stop();
      // Their feature has ended them; they send their last message.
      await withTimeout(slots.whenEmpty(), STREAMS_MS, () => undefined);
      if (app) await drain(app);
      await metricsServer?.stop();
    },
    reloadCertificate: async () => (await certificate?.reload()) ?? false,
    get server() {
      if (!app) throw new Error("the API has not been started");
      return app.server as Server;
    },
    get metricsUrl() {
      if (!metricsServer) throw new Error("another process serves the metrics");
      return metricsServer.url;
    },
  };
}

async function drain(app: FastifyInstance): Promise<void> {
  const closed = app.close();
  await withTimeout(closed, DRAIN_MS, () => {
    app.server.closeAllConnections();
    return closed;
  });
}

function buildApp(
  deps: ApiDeps,
  context: () => Parameters<typeof createListener>[0],
  slots: StreamSlots,
): FastifyInstance {
  const requestIds = createRequestIds(deps.ids);
  const answerError = answerErrors(deps);
  let listener: Listener | undefined;
  const app = Fastify({
    serverFactory: (handler) => {
      listener = createListener(
        context(),
        (request, response) => handler(withRoutedMethod(request, routed), response),
        { ...listenerOptions(deps), refuse: refuseUnauthenticated(requestIds) },
      );
      return listener.server;
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, requestIds.fresh()),
    genReqId: (request) => requestIds.of(request),
    // A log line per request would cost more than the request; failures are logged below.
    logger: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    routerOptions: { maxParamLength: DEFAULT_LIMITS.pathSegmentCharacters },
    rewriteUrl: ({ url = "" }) => originForm(url),
    // No hook runs for an address that cannot be decoded.
    frameworkErrors: (error, request, reply) =>
      void answerError(error, request as FastifyRequest, reply.headers(SECURITY_HEADERS) as FastifyReply),
  }) as unknown as FastifyInstance;
  const routed = new Set(app.supportedMethods);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  installConventions(app, deps.config);
  observeAnswers(app, deps);
  closeConnectionsWhenStopping(app);
  installHealth(app, deps.readiness);
  for (const serve of deps.pages) serve(app, deps.addresses);
  installRoutes(app, deps, slots, listener!);
  return app;
}

function listenerOptions({ config, ...deps }: ApiDeps) {
  const { limits, trustedProxies: proxies, proxyProtocolFrom } = config;
  return { limits, proxies, proxyProtocolFrom, clock: deps.clock, onCapReached: reportCaps("https", deps) };
}

function installRoutes(
  app: FastifyInstance,
  deps: ApiDeps,
  slots: StreamSlots,
  { authenticated, streams }: Listener,
): void {
  const proxies = deps.config.trustedProxies;
  const tools = {
    audit: deps.audit,
    bound: deps.bound,
    logger: deps.logger,
    proxies,
    authenticated,
    keys: new KeyAdmissions(deps.access, deps.clock),
    peerOf: createPeerReader(deps.authorities, deps.config.trustedClientCertProxies),
    deviceLimit: createAddressLimit(deps.config.limits.deviceRequestsPerMinute, deps.clock, {
      name: "device",
      counts: deps.requestCounts,
    }),
    streams: { slots, identity: deps.identity, access: deps.access, logger: deps.logger, begun: streams },
    exports: { ...deps, slots: new ExportSlots(deps.config.limits) },
    adminGuard: createAdminGuard({ ...deps, limits: deps.config.limits, proxies, authenticated, operationsOf }),
  };
  mountRoutes(app, tools);
  serveBatch(app, { ...tools, isUnavailable: deps.isUnavailable });
  serveMcp(app, { ...tools, ...deps, corsOrigins: deps.config.corsOrigins });
  serveScim(app, { ...tools, ...deps, limits: deps.config.limits });
  serveProviderLogout(app, { ...tools, ...deps, limits: deps.config.limits });
}

/**
 * Replaces a method that the router does not know (`PROPFIND`) by one that no address has: the answer is 405 with
 * `Allow` at an existing address, and 404 elsewhere.
 */
function withRoutedMethod(request: IncomingMessage, routed: ReadonlySet<string>): IncomingMessage {
  if (!routed.has(request.method!)) request.method = "TRACE";
  return request;
}

/**
 * Keeps Fastify from loading two JSON Schema compilers, a quarter of the startup time. Input and answers are validated
 * by zod.
 */
function noSchemas(): never {
  throw new Error("a route was given a JSON schema");
}

/**
 * Returns the path of a request target in absolute form, such as `GET https://host/path` (RFC 9112 3.2.2); the host is
 * ignored. Any other target that is not a path, such as `*`, becomes an address that does not exist.
 */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const [, rest] = /^https?:\/\/[^/?]*(.*)$/is.exec(target) ?? [undefined, "/*"];
  return rest!.startsWith("/") ? rest! : `/${rest}`;
}

/** Closes connections after their answer while the service stops: an idle one would delay the stop. */
function closeConnectionsWhenStopping(app: FastifyInstance): void {
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (!app.server.listening) reply.header("connection", "close");
    done(null, payload);
  });
}
