import { mkdir } from "node:fs/promises";
import { boundFunctions } from "./access/access.ts";
import { serveApp } from "./api/app/serve-app.ts";
import { serveConfirmPage } from "./api/pages/confirm-page.ts";
import { serveReference } from "./api/reference/serve-reference.ts";
import { type Api, createApi } from "./api/server.ts";
import { type Authorities, createAuthorities, createMasterKeys } from "./authorities/authorities.ts";
import { type Broker, createBroker } from "./broker/broker.ts";
import type { Config } from "./config/config.ts";
import { checkFileModes } from "./config/file-modes.ts";
import { openMasterKeyStore } from "./config/master-key.ts";
import { type Control, createControl } from "./control/control.ts";
import { type Database, openDatabase, type TimeLimits } from "./db/database.ts";
import { databaseClock } from "./db/database-clock.ts";
import { isUnavailable } from "./db/refusal.ts";
import { composeFeatures, encryptAgain, type Features } from "./features.ts";
import { inUrl } from "./lib/address.ts";
import { type Clock, HOUR, MINUTE, SECOND, systemClock } from "./lib/clock.ts";
import { isMusterError } from "./lib/errors.ts";
import { type Ids, randomIds } from "./lib/ids.ts";
import { createLogger, type Logger } from "./lib/logger.ts";
import { createMetrics } from "./lib/metrics.ts";
import { startPeriodicJob } from "./lib/periodic-job.ts";

/** What a test may replace: time, randomness, log and storage, never our own code. */
export interface Overrides {
  clock?: Clock;
  /** This machine's clock, which is corrected by the database's on PostgreSQL. */
  machineClock?: Clock;
  ids?: Ids;
  logger?: Logger;
  /** A dumped embedded database to start from, in memory. */
  snapshot?: Blob;
  /** Keeps the embedded database in memory. */
  inMemory?: boolean;
  /** Of PostgreSQL. */
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
  /** Where clients reach it; valid after {@link App.start}. */
  readonly baseUrl: string;
  readonly brokerUrl: string;
  /** Opens the listeners; the broker first, since enrollments name its port. */
  start(): Promise<void>;
  /** Accepts no new work, finishes running work, closes everything. Idempotent. */
  stop(): Promise<void>;
}

/** The one composition root: production and tests build the same service from here. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const base = await openBase(config, overrides);
  const { database, clock, authorities, ids, logger } = base;
  const { addresses, ports } = addressesOf(config);
  const settings = { smtp: config.smtp, allowPrivateWebhooks: config.allowPrivateWebhooks };
  const features = composeFeatures({ ...base, limits: config.limits, notificationSettings: settings, addresses });
  const parts = { ...features, authorities, config, clock, ids, logger, addresses };
  const broker = createBroker(parts);
  const readiness = async () => ({
    database: await database.healthy(),
    broker: broker.healthy(),
    masterKey: authorities.hasMasterKey(),
  });
  const bound = boundFunctions([...Object.values(features), authorities]);
  const pages = [serveApp(parts), serveReference, serveConfirmPage(parts)];
  const api = createApi({ ...parts, bound, pages, readiness, isUnavailable });
  const control = createControl({ ...parts, dataDir: config.dataDir });

  let stopJobs = async () => {};
  let stopping: Promise<void> | undefined;
  const surfaces = { broker, api, control };

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
    async start() {
      await authorities.maintain();
      const nodeId = await features.connections.startNode();
      await features.access.compareRequestClocks();
      ports.mqtt = (await broker.start()).port;
      ports.http = (await api.start()).port;
      await control.start();
      await features.notifications.start(nodeId);
      stopJobs = startJobs({ ...features, authorities, database }, logger);
    },
    stop() {
      stopping ??= closeParts({ ...base, features, surfaces, stopJobs: () => stopJobs() });
      return stopping;
    },
  };
}

/** Closes every part in order: work stops at the surfaces first, the database closes last. */
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
    telemetry: () => features.telemetry.drain(),
    notifications: () => features.notifications.stop(),
    events: () => features.events.stop(),
    identity: () => features.identity.stopFollowing(),
    sessions: () => features.connections.stopNode(),
    access: () => features.access.close(),
    authorities: () => authorities.close(),
    clock: () => open.stopClock(),
    database: () => database.close(),
  });
}

/** Opens what the features work with, the database first. When the authorities fail, nothing stays open. */
async function openBase(config: Config, overrides: Overrides) {
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
    dataDir: inMemory ? "memory" : config.dataDir,
    snapshot: overrides.snapshot,
    embeddedSync: config.embeddedSync,
    timeLimits: overrides.timeLimits,
    logger,
    observe: (seconds) => metrics.database.observe(seconds),
  });
  const { clock, stopClock } = await chooseClock(database, overrides, logger);
  const base = { database, clock, ids, logger, metrics, stopClock };
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
  if (given.clock) return { clock: given.clock, stopClock: () => undefined };
  const machine = given.machineClock ?? systemClock;
  if (database.kind === "embedded") return { clock: machine, stopClock: () => undefined };
  const clock = await databaseClock(database, machine, logger);
  return { clock, stopClock: () => clock.stop() };
}

/** Where clients reach the service. `ports` are the configured ones until the listeners say which they got. */
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

/** @returns a function that stops the jobs and waits for running ones */
function startJobs(parts: Features & Pick<App, "authorities" | "database">, logger: Logger): () => Promise<void> {
  const { access, identity, rules, telemetry, notifications, enrollment, connections, commands, audit, events } = parts;
  const { authorities, database, platform } = parts;
  const jobs: [intervalMs: number, name: string, job: (stopped: AbortSignal) => Promise<unknown>][] = [
    [2 * SECOND, "maintain the database", () => database.maintain()],
    [5 * SECOND, "compare the clocks of the rate limit", () => access.compareRequestClocks()],
    [10 * SECOND, "detect silent devices", () => rules.pollSilence()],
    [5 * MINUTE, "detect lost renewals", () => rules.pollLostRenewals()],
    [MINUTE, "roll up telemetry", () => telemetry.rollUp()],
    [MINUTE, "delete the telemetry of deleted devices", () => telemetry.deleteTelemetry()],
    [HOUR, "maintain the partitions of telemetry", () => telemetry.maintainPartitions()],
    [HOUR, "maintain the certificate authorities", () => authorities.maintain()],
    [2 * SECOND, "record connect events that were held back", () => connections.recordOwedPresence()],
    [SECOND, "send notifications", () => notifications.tick()],
    [HOUR, "send notices about certificates", () => notifications.noticeCertificates()],
    [HOUR, "report devices that lack a new server root", () => platform.reportRollout()],
    [10 * MINUTE, "prune request windows", access.prune],
    [10 * SECOND, "check the sessions of live streams", () => identity.checkFollowedSessions()],
    [10 * SECOND, "check the API keys of event streams", () => access.checkFollowedKeys()],
    [10 * MINUTE, "prune sessions of the admin app", (stopped) => identity.prune(stopped)],
    [10 * MINUTE, "prune claim guesses", enrollment.prune],
    [10 * MINUTE, "prune refusals and session drops", connections.prune],
    [10 * MINUTE, "prune commands for devices", commands.prune],
    [10 * MINUTE, "prune idempotency keys", audit.prune],
    [10 * MINUTE, "prune events", events.prune],
    [10 * MINUTE, "prune notifications", () => notifications.prune()],
  ];
  const stops = jobs.map(([intervalMs, name, job]) => startPeriodicJob(intervalMs, name, job, logger));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Closes every part, also when an earlier one fails: a process whose database has failed must still release its ports. */
async function closeInOrder(logger: Logger, parts: Record<string, () => unknown>): Promise<void> {
  for (const [part, close] of Object.entries(parts)) {
    try {
      await close();
    } catch (error) {
      logger.error({ part, err: (error as Error).message }, "a part of the service failed to close");
    }
  }
}
