import { mkdir } from "node:fs/promises";
import { type Access, boundFunctions, createAccess } from "./access/access.ts";
import { type Anomalies, createAnomalies } from "./anomalies/anomalies.ts";
import { serveHomePage } from "./api/reference/home-page.ts";
import { serveReference } from "./api/reference/serve-reference.ts";
import { type Api, createApi } from "./api/server.ts";
import { type Audit, createAudit } from "./audit/audit.ts";
import { type Authorities, createAuthorities } from "./authorities/authorities.ts";
import { createBackup } from "./backup/backup.ts";
import { type Broker, createBroker } from "./broker/broker.ts";
import { type Certificates, createCertificates } from "./certificates/certificates.ts";
import type { Config } from "./config/config.ts";
import { loadMasterKey } from "./config/master-key.ts";
import { type Connections, createConnections } from "./connections/connections.ts";
import { type Control, createControl } from "./control/control.ts";
import { type Database, openDatabase } from "./db/database.ts";
import { databaseClock } from "./db/database-clock.ts";
import { isUnavailable } from "./db/refusal.ts";
import { createDevices, type Devices } from "./devices/devices.ts";
import { createDoctor } from "./doctor/doctor.ts";
import { createEnrollment, type Enrollment } from "./enrollment/enrollment.ts";
import { createEvents, type Events } from "./events/events.ts";
import { createGroups, type Groups } from "./groups/groups.ts";
import { type Clock, HOUR, MINUTE, SECOND, systemClock } from "./lib/clock.ts";
import { isMusterError } from "./lib/errors.ts";
import { type Ids, randomIds } from "./lib/ids.ts";
import { createLogger, type Logger } from "./lib/logger.ts";
import { createMetrics, type Metrics } from "./lib/metrics.ts";
import { startPeriodicJob } from "./lib/periodic-job.ts";
import { Secret } from "./lib/secret.ts";
import { createLive, type Live } from "./live/live.ts";
import { createNotifications, type Notifications } from "./notifications/notifications.ts";
import { deriveKey } from "./pki/pki.ts";
import { createBatchEvaluator, createRules, type Rules } from "./rules/rules.ts";
import { createTelemetry, type Telemetry } from "./telemetry/telemetry.ts";
import { createTickets, type Tickets } from "./tickets/tickets.ts";

/** What a test may replace: the world outside (time, chance, log), never our own code. */
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
}

/** The whole service, composed and ready to start. */
export interface App {
  readonly config: Config;
  readonly logger: Logger;
  readonly database: Database;
  readonly access: Access;
  readonly audit: Audit;
  readonly authorities: Authorities;
  readonly certificates: Certificates;
  readonly connections: Connections;
  readonly devices: Devices;
  readonly enrollment: Enrollment;
  readonly events: Events;
  readonly groups: Groups;
  readonly live: Live;
  readonly metrics: Metrics;
  readonly anomalies: Anomalies;
  readonly rules: Rules;
  readonly telemetry: Telemetry;
  readonly notifications: Notifications;
  readonly tickets: Tickets;
  readonly broker: Broker;
  readonly api: Api;
  readonly control: Control;
  /** Where clients reach it; valid after {@link App.start}. */
  readonly baseUrl: string;
  readonly brokerUrl: string;
  /** Opens the listeners; the broker first, since enrollments name its port. */
  start(): Promise<void>;
  /** Stops taking work, finishes what is under way, closes everything. Safe to call twice. */
  stop(): Promise<void>;
}

/** The one composition root: production and tests build the same service from here. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const logger = overrides.logger ?? createLogger(config.logLevel);
  const ids = overrides.ids ?? randomIds;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const { key: masterKey, takeBack } = await loadMasterKey(config);
  const metrics = createMetrics();
  const inMemory = overrides.inMemory || overrides.snapshot !== undefined;
  const database = await openDatabase({
    url: config.databaseUrl?.reveal(),
    dataDir: inMemory ? "memory" : config.dataDir,
    snapshot: overrides.snapshot,
    logger,
    observe: (seconds) => metrics.database.observe(seconds),
  });
  const { clock, stopClock } = await chooseClock(database, overrides, logger);
  const ports = { http: config.http.port, mqtt: config.mqtt.port };
  const addresses = {
    get baseUrl() {
      return config.baseUrl ?? `https://${bracketed(config.publicHost)}:${ports.http}`;
    },
    get brokerUrl() {
      return config.brokerUrl ?? `mqtts://${bracketed(config.publicHost)}:${ports.mqtt}`;
    },
  };

  const deps = { database, clock, ids, logger };
  const access = createAccess(deps);
  const audit = createAudit(deps);
  const devices = createDevices(deps);
  const groups = createGroups(deps);
  const certificates = createCertificates(deps);
  const connections = createConnections(deps);
  const telemetry = createTelemetry({ ...deps, metrics, evaluator: createBatchEvaluator(deps) });
  const anomalies = createAnomalies({ ...deps, metrics });
  const rules = createRules(deps);
  const tickets = createTickets(deps);
  const events = createEvents(deps);
  const live = createLive({ events, telemetry });
  const notifications = createNotifications({
    ...deps,
    metrics,
    webhookKey: new Secret(deriveKey(masterKey.reveal(), "webhook-secrets")),
    settings: { smtp: config.smtp, allowPrivateWebhooks: config.allowPrivateWebhooks },
    baseUrl: () => addresses.baseUrl,
  });
  metrics.beforeText(() => telemetry.measure());
  metrics.beforeText(() => anomalies.measure());
  metrics.beforeText(() => notifications.measure());
  const concerns = [
    {
      name: "whoever a group's escalation is to tell is there in the next 7 days",
      find: () => notifications.unreached(),
    },
  ];
  const doctor = createDoctor({ ...deps, concerns });
  let authorities: Authorities;
  try {
    authorities = await createAuthorities({ ...deps, masterKey, publicHost: config.publicHost });
  } catch (error) {
    stopClock();
    await database.close();
    if (isMusterError(error, "wrong_master_key")) await takeBack();
    throw error;
  }
  const enrollment = createEnrollment({
    ...deps,
    authorities,
    connections,
    masterKey,
    metrics,
    brokerUrl: () => addresses.brokerUrl,
  });

  const faces = {
    access,
    anomalies,
    audit,
    authorities,
    certificates,
    connections,
    devices,
    enrollment,
    groups,
    metrics,
    rules,
    telemetry,
    tickets,
  };
  const broker = createBroker({ ...faces, config, clock, ids, logger });
  const readiness = async () => ({ database: await database.healthy(), broker: broker.healthy() });
  const bound = boundFunctions(Object.values(faces));
  const api = createApi({
    ...faces,
    bound,
    pages: [serveHomePage, serveReference],
    config,
    clock,
    ids,
    logger,
    readiness,
    isUnavailable,
    addresses,
  });
  const control = createControl({
    ...faces,
    backup: createBackup(deps),
    doctor,
    notifications,
    dataDir: config.dataDir,
    logger,
    addresses,
  });

  const prunable = [access, enrollment, connections, audit, events, notifications];
  const jobs: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;

  async function start(): Promise<void> {
    await authorities.maintain();
    const nodeId = await connections.startNode();
    await access.keepTime();
    ports.mqtt = (await broker.start()).port;
    ports.http = (await api.start()).port;
    await control.start();
    await notifications.start(nodeId);
    jobs.push(
      startPeriodicJob(5 * SECOND, "comparing the clocks of the rate limit", () => access.keepTime(), logger),
      startPeriodicJob(10 * SECOND, "looking for devices that fell silent", () => rules.watchSilence(), logger),
      startPeriodicJob(MINUTE, "roll-ups of telemetry", () => telemetry.rollUp(), logger),
      startPeriodicJob(HOUR, "partitions of telemetry", () => telemetry.tendTelemetry(), logger),
      startPeriodicJob(HOUR, "certificate authority maintenance", () => authorities.maintain(), logger),
      startPeriodicJob(SECOND, "notifications", () => notifications.tick(), logger),
      startPeriodicJob(HOUR, "notices about certificates", () => notifications.noticeCertificates(), logger),
      startPeriodicJob(10 * MINUTE, "pruning", () => Promise.all(prunable.map((part) => part.prune())), logger),
    );
  }

  /** Every part is closed, whatever happens to the one before: a database that is gone must not keep a port open. */
  async function shutDown(): Promise<void> {
    const parts: [string, () => unknown][] = [
      ["periodic jobs", () => Promise.all(jobs.map((stop) => stop()))],
      ["control socket", () => control.stop()],
      ["live streams", () => live.stop()],
      ["HTTPS", () => api.stop()],
      ["MQTT", () => broker.stop()],
      ["telemetry", () => telemetry.drain()],
      ["notifications", () => notifications.stop()],
      ["events", () => events.stop()],
      ["sessions", () => connections.stopNode()],
      ["access", () => access.close()],
      ["authorities", () => authorities.close()],
      ["clock", () => stopClock()],
      ["database", () => database.close()],
    ];
    for (const [part, close] of parts) {
      try {
        await close();
      } catch (error) {
        logger.error({ part, err: (error as Error).message }, "a part did not close in order");
      }
    }
  }

  return {
    ...faces,
    events,
    live,
    notifications,
    config,
    logger,
    database,
    broker,
    api,
    control,
    get baseUrl() {
      return addresses.baseUrl;
    },
    get brokerUrl() {
      return addresses.brokerUrl;
    },
    start,
    stop: () => {
      stopping ??= shutDown();
      return stopping;
    },
  };
}

async function chooseClock(database: Database, given: Pick<Overrides, "clock" | "machineClock">, logger: Logger) {
  if (given.clock) return { clock: given.clock, stopClock: () => undefined };
  const machine = given.machineClock ?? systemClock;
  if (database.kind === "embedded") return { clock: machine, stopClock: () => undefined };
  const clock = await databaseClock(database, machine, logger);
  return { clock, stopClock: () => clock.stop() };
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
