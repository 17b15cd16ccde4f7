import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { boundFunctions } from "./access/access.ts";
import { serveApp } from "./api/app/serve-app.ts";
import { serveOpenPages } from "./api/pages/open-pages.ts";
import { serveReference } from "./api/reference/serve-reference.ts";
import { type Api, createApi } from "./api/server.ts";
import { type Authorities, createAuthorities, createMasterKeys } from "./authorities/authorities.ts";
import { type Broker, createBroker } from "./broker/broker.ts";
import type { Config } from "./config/config.ts";
import { checkFileModes } from "./config/file-modes.ts";
import { openMasterKeyStore } from "./config/master-key.ts";
import { type Control, createControl } from "./control/control.ts";
import { prepareSocketFolder } from "./control/socket-path.ts";
import { databaseClock } from "./db/clock/database-clock.ts";
import { type Database, openDatabase, type TimeLimits } from "./db/database.ts";
import { isUnavailable } from "./db/refusal.ts";
import { natsCheck, natsProbe } from "./doctor/doctor.ts";
import { composeFeatures, encryptAgain, type Features } from "./features.ts";
import { inUrl } from "./lib/address.ts";
import { type Clock, systemClock } from "./lib/clock.ts";
import { isMusterError } from "./lib/errors.ts";
import { type Ids, randomIds } from "./lib/ids.ts";
import { VERSION } from "./lib/installed/version.ts";
import type { RequestCounts } from "./lib/limits/request-counts.ts";
import { createLogger, type Logger } from "./lib/logger.ts";
import { measurePools } from "./lib/metrics/database-metrics.ts";
import { createMetrics } from "./lib/metrics/metrics.ts";
import { probeNats } from "./lib/nats/probe-nats.ts";
import { startJobs } from "./process/jobs.ts";
import { connectionsNeeded, limitsOf, type Part, poolsOf, WHOLE } from "./process/part.ts";
import { createRequestExchange } from "./process/request-exchange.ts";
import { removeSetUpLink } from "./set-up-link-file.ts";

/** The parts that a test may replace: time, randomness, log and storage, never our own code. */
export interface Overrides {
  clock?: Clock;
  /** This machine's clock, which is corrected by the database's on PostgreSQL. */
  machineClock?: Clock;
  ids?: Ids;
  logger?: Logger;
  /** The clock by which this node's lease on its sessions ends; by default this machine's clock. */
  leaseClock?: Pick<Clock, "monotonicMs">;
  /** A dump of an embedded database to start from, in memory. */
  snapshot?: Blob;
  /** Keeps the embedded database in memory. */
  inMemory?: boolean;
  /** The time limits of PostgreSQL. */
  timeLimits?: TimeLimits | undefined;
}

/** The whole service, composed and ready to start. */
export interface App extends Features {
  readonly config: Config;
  readonly logger: Logger;
  readonly database: Database;
  readonly authorities: Authorities;
  readonly broker: Broker;
  readonly api: Api;
  readonly control: Control;
  /** The addresses at which clients reach the service; valid after {@link App.start}. */
  readonly baseUrl: string;
  readonly brokerUrl: string;
  /** The id of this process among the broker nodes, once it has started. */
  readonly nodeId: string | undefined;
  /** Opens the listeners: the broker first, since enrollments name its port. */
  start(): Promise<void>;
  /** Accepts no new work, finishes running work, and closes everything. Idempotent. */
  stop(): Promise<void>;
}

function wiringOf(config: Config, { leaseClock = systemClock }: Overrides, part: Part) {
  const { limits, leaseSeconds, allowPrivateProviders, smtp, allowPrivateWebhooks } = config;
  const nodeProcess = { host: hostname(), version: VERSION, part: part.role };
  const settings = { notificationSettings: { smtp, allowPrivateWebhooks }, allowPrivateProviders };
  return { limits, leaseSeconds, nodeProcess, ...settings, leaseClock };
}

/**
 * Composes the service. This is the only composition root, used by production and tests alike.
 *
 * @param part the role within a service of several processes
 */
export async function createApp(given: Config, overrides: Overrides = {}, part: Part = WHOLE): Promise<App> {
  const config = { ...given, limits: limitsOf(given.limits, part) };
  const base = await openBase(config, overrides, part);
  const { database, clock, authorities, ids, logger } = base;
  const { addresses, ports } = addressesOf(config);
  const wiring = { ...wiringOf(config, overrides, part), addresses, ...natsOf(config, part, logger, () => surfaces) };
  const features = composeFeatures({ ...base, ...wiring });
  const exchange = createRequestExchange(base);
  const parts = { ...features, authorities, config, clock, ids, logger, addresses, requestCounts: exchange.counts };
  const surfaces = await createSurfaces({ ...parts, database }, features, part);
  const { broker, api, control } = surfaces;

  let stopJobs = async () => {};
  let nodeId: string | undefined;
  let stopping: Promise<void> | undefined;

  return {
    ...features,
    config,
    logger,
    database,
    authorities,
    broker,
    api,
    control,
    get baseUrl() {
      return addresses.baseUrl;
    },
    get brokerUrl() {
      return addresses.brokerUrl;
    },
    get nodeId() {
      return nodeId;
    },
    async start() {
      await authorities.maintain();
      nodeId = await features.connections.startNode();
      await features.access.compareRequestClocks();
      if (part.role !== "jobs") {
        await exchange.start();
        await features.telemetry.startStream();
        ports.mqtt = (await broker.start()).port;
        ports.http = (await api.start()).port;
      }
      if (part.role !== "serve") {
        await control.start();
        await features.notifications.start(nodeId);
      }
      stopJobs = startJobs({ ...features, authorities, database, logger, requestExchange: exchange }, part.role);
    },
    stop() {
      stopping ??= closeParts({ ...base, features, surfaces, stopJobs: () => stopJobs() });
      return stopping;
    },
  };
}

type SurfaceParts = Features &
  Pick<App, "config" | "logger" | "database" | "authorities"> & {
    clock: Clock;
    ids: Ids;
    requestCounts: RequestCounts;
  } & Pick<Parameters<typeof composeFeatures>[0], "addresses">;

/** Creates the surfaces of this process; its part decides which of them it opens. */
async function createSurfaces(parts: SurfaceParts, features: Features, part: Part) {
  const { config, database, authorities, connections, telemetry } = parts;
  outlastDatabase(config, features);
  const sharesPort = part.role === "serve";
  const busFolder = sharesPort ? await prepareSocketFolder(config.dataDir) : undefined;
  const mqtt = { ...config.mqtt, sharesPort };
  const broker = createBroker({ ...parts, config: { ...config, mqtt }, busFolder });
  const readiness = {
    askDatabase: () => database.healthy(),
    ownState: () => ({
      needed: { broker: broker.healthy(), masterKey: authorities.hasMasterKey(), lease: connections.hasLease() },
      nats: broker.busConnected(),
      stream: streamReady(telemetry.streamProblem()),
    }),
  };
  const bound = boundFunctions([...Object.values(features), authorities]);
  const pages = [serveApp(parts), serveReference, serveOpenPages(parts)];
  const ofApi = { ...config, sharesPort, metrics: part.role === "all" ? config.metrics : undefined };
  const api = createApi({ ...parts, config: ofApi, bound, pages, readiness, isUnavailable });
  return { broker, api, control: createControl({ ...parts, workers: part, dataDir: config.dataDir }) };
}

function streamReady(problem: string | null | undefined): boolean | undefined {
  return problem === undefined ? undefined : problem === null;
}

/**
 * Returns how a process uses NATS. A process without sessions neither appends device messages to the stream nor stores
 * any from it. The surfaces exist by the time the doctor checks them.
 */
function natsOf(
  { nats, stream }: Config,
  { role, workers }: Part,
  logger: Logger,
  surfaces: () => Pick<App, "broker">,
) {
  if (nats === undefined) return { workers };
  if (role === "jobs") return { workers, processChecks: [natsProbe(() => probeNats(nats, logger))] };
  return { workers, stream, processChecks: [natsCheck(nats.servers, () => surfaces().broker.busConnected())] };
}

/** Applies also to a process without sessions, which reaps others. */
function outlastDatabase({ stream }: Config, { connections, telemetry }: Features): void {
  if (stream) connections.outlastDatabase(telemetry.outlastsDatabase, stream.sessionsMs);
}

/** Closes every part in order: work stops at the surfaces first, and the database closes last. */
function closeParts(open: {
  logger: Logger;
  features: Features;
  surfaces: Pick<App, "broker" | "api" | "control">;
  authorities: Authorities;
  database: Database;
  stopJobs: () => Promise<void>;
  stopClock: () => unknown;
}): Promise<void> {
  const { logger, features, surfaces, authorities, database } = open;
  return closeInOrder(logger, {
    "periodic jobs": () => open.stopJobs(),
    "control socket": () => surfaces.control.stop(),
    "live streams": () => features.live.stop(),
    HTTPS: () => surfaces.api.stop(),
    MQTT: () => surfaces.broker.stop(),
    "ingest stream": () => features.telemetry.stopStream(),
    telemetry: () => features.telemetry.drain(),
    "audit streams": () => features.notifications.stopAuditStreams(),
    notifications: () => features.notifications.stop(),
    events: () => features.events.stop(),
    identity: () => features.identity.close(),
    sessions: () => features.connections.stopNode(),
    access: () => features.access.close(),
    authorities: () => authorities.close(),
    clock: () => open.stopClock(),
    database: () => database.close(),
  });
}

/** Opens the base of the features, the database first. If the authorities fail, nothing stays open. */
async function openBase(config: Config, overrides: Overrides, part: Part) {
  const logger = overrides.logger ?? createLogger(config.logLevel);
  const ids = overrides.ids ?? randomIds;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  for (const warning of await checkFileModes(config)) logger.warn(warning);
  const masterKeyStore = await openMasterKeyStore(config);
  const masterKeys = createMasterKeys(masterKeyStore);
  const metrics = createMetrics();
  const inMemory = overrides.inMemory || overrides.snapshot !== undefined;
  const database = await openDatabase({
    url: config.databaseUrl?.reveal(),
    directUrl: config.databaseDirectUrl?.reveal(),
    dataDir: inMemory ? "memory" : config.dataDir,
    snapshot: overrides.snapshot,
    embeddedSync: config.embeddedSync,
    timeLimits: overrides.timeLimits,
    pools: { ...poolsOf(part), needed: part.role === "jobs" ? connectionsNeeded(part.workers) : undefined },
    logger,
    observe: (seconds) => metrics.database.observe(seconds),
  });
  metrics.buildInfo.set({ version: VERSION }, 1);
  metrics.beforeScrape(async () => measurePools(metrics, database.pools?.() ?? {}));
  const { clock, databaseTime, stopClock } = await chooseClock(database, overrides, logger);
  const setUpLinkEnded = () => removeSetUpLink(config.dataDir);
  const base = { database, clock, databaseTime, ids, logger, metrics, stopClock, setUpLinkEnded };
  try {
    const authorities = await createAuthorities({ ...base, masterKeys, publicHost: config.publicHost, encryptAgain });
    return { ...base, authorities, keysFor: authorities.keysFor };
  } catch (error) {
    stopClock();
    await database.close();
    if (isMusterError(error, "wrong_master_key")) await masterKeyStore.removeCreated();
    throw error;
  }
}

async function chooseClock(database: Database, given: Pick<Overrides, "clock" | "machineClock">, logger: Logger) {
  if (given.clock) return { clock: given.clock, databaseTime: systemClock.now, stopClock: () => undefined };
  const machine = given.machineClock ?? systemClock;
  if (database.kind === "embedded")
    return { clock: machine, databaseTime: () => machine.now(), stopClock: () => undefined };
  const clock = await databaseClock(database, machine, logger);
  return { clock, databaseTime: clock.now, stopClock: () => clock.stop() };
}

/**
 * Returns the addresses at which clients reach the service. `ports` are the configured ones until the listeners report
 * the actual ones.
 */
function addressesOf(config: Config) {
  const ports = { http: config.http.port, mqtt: config.mqtt.port };
  const addresses = {
    get baseUrl() {
      return config.baseUrl ?? `https://${inUrl(config.publicHost)}:${ports.http}`;
    },
    get brokerUrl() {
      return config.brokerUrl ?? `mqtts://${inUrl(config.publicHost)}:${ports.mqtt}`;
    },
  };
  return { addresses, ports };
}

/**
 * Closes every part, even if an earlier one fails: a process whose database has failed must still release its ports.
 */
async function closeInOrder(logger: Logger, parts: Record<string, () => unknown>): Promise<void> {
  for (const [part, close] of Object.entries(parts)) {
    try {
      await close();
    } catch (error) {
      logger.error({ part, err: (error as Error).message }, "a part of the service failed to close");
    }
  }
}
