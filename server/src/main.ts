import { mkdir } from "node:fs/promises";
import { createApp } from "./app.ts";
import {
  type ReappliedRevocations,
  type Restored,
  type RestoreOptions,
  reapplyRevocations,
  restore,
} from "./backup/backup.ts";
import { type Config, loadConfig } from "./config/config.ts";
import { readAddressFile } from "./config/secret-file.ts";
import { workersOf } from "./config/workers.ts";
import { openDatabase, openForReading } from "./db/database.ts";
import { grantToServiceRole } from "./db/migrate/service-role.ts";
import { migrations } from "./db/migrations/index.ts";
import { greeting } from "./greeting.ts";
import { systemClock } from "./lib/clock.ts";
import { randomIds } from "./lib/ids.ts";
import { VERSION } from "./lib/installed/version.ts";
import { createLogger, type Logger } from "./lib/logger.ts";
import { descriptorLimit, descriptorsNeeded } from "./lib/sockets/descriptor-limit.ts";
import { hasHybridKeyExchange } from "./lib/sockets/key-exchange.ts";
import type { SetUpLink } from "./set-up-link-file.ts";
import { storeSetUpLink } from "./show-set-up-link.ts";
import { startApp, untilStopped, writeCa } from "./workers/run-app.ts";
import { Supervisor } from "./workers/supervisor.ts";

/**
 * Runs the service until SIGTERM or SIGINT (`muster serve`).
 *
 * @param settings override the environment.
 * @returns the exit code
 */
export async function serve(settings: Record<string, string> = {}): Promise<number> {
  const config = loadConfig(settings);
  const workers = workersOf(config, { source: "MUSTER_WORKERS" in settings ? "--workers" : "MUSTER_WORKERS" });
  const logger = createLogger(config.logLevel);
  for (const name of config.unknownNames) logger.warn({ name }, "unknown setting: it has no effect");
  warnOfFewDescriptors(config, logger);
  warnOfMissingHybrid(logger);
  const started = systemClock.monotonicMs();
  const database = config.databaseUrl ? "postgresql" : "embedded";
  logger.info({ version: VERSION, database, workers }, "starting");
  const run = workers > 1 ? serveInWorkers(config, workers, { logger, settings }) : serveInOne(config, logger);
  const { service, stopped } = await run;
  const { link, ...urls } = service;
  const terminal = [process.stderr, process.stdout].find(({ isTTY }) => isTTY);
  const { dataDir } = config;
  // This comes before the "ready" line, because a client that uses the link or requests another one removes the file.
  await storeSetUpLink(link, { dataDir, atTerminal: terminal !== undefined, logger });
  logger.info({ ...urls, startupMs: Math.round(systemClock.monotonicMs() - started) }, "ready");
  const caFile = config.operatorTls ? undefined : service.caFile;
  terminal?.write(`${greeting({ appUrl: service.httpUrl, link, caFile })}\n`);
  return await stopped();
}

/** A service that is ready. */
interface Running {
  service: { httpUrl: string; brokerUrl: string; caFile: string; metricsUrl: string; link: SetUpLink | undefined };
  /** Resolves with the exit code when a signal has ended the service. */
  stopped(): Promise<number>;
}

async function serveInOne(config: Config, logger: Logger): Promise<Running> {
  const app = await createApp(config, { logger });
  const stopped = untilStopped(app);
  await startApp(app);
  const caFile = await writeCa(app, config);
  // This comes before the "ready" line, so that a link requested by a client is a later one, which replaces this one.
  const link = await app.identity.firstSetUpLink();
  const { baseUrl: httpUrl, brokerUrl } = app;
  return { service: { httpUrl, brokerUrl, caFile, metricsUrl: app.api.metricsUrl, link }, stopped: () => stopped };
}

async function serveInWorkers(
  config: Config,
  workers: number,
  { logger, settings }: { logger: Logger; settings: Record<string, string> },
): Promise<Running> {
  const signalled = new Promise<string>((resolve) => {
    process.on("SIGTERM", resolve);
    process.on("SIGINT", resolve);
  });
  const supervisor = new Supervisor(config, workers, logger);
  const { link, ...urls } = await supervisor.start(settings);
  return {
    service: { ...urls, link: link && { ...link, expiresAt: new Date(link.expiresAt) } },
    async stopped() {
      logger.info({ signal: await signalled }, "stopping: the workers finish running work");
      await supervisor.stop();
      logger.info("stopped");
      return 0;
    },
  };
}

/** Warns of a low `ulimit -n`: sockets beyond it fail before the connection caps can choose which one to close. */
function warnOfFewDescriptors(config: Config, logger: Logger): void {
  const [openFiles, needed] = [descriptorLimit(), descriptorsNeeded(config.limits)];
  if (openFiles === undefined || openFiles >= needed) return;
  logger.warn({ openFiles, needed }, "ulimit -n is too low for the caps on connections: raise it, or lower the caps");
}

function warnOfMissingHybrid(logger: Logger): void {
  if (hasHybridKeyExchange()) return;
  const { node, openssl } = process.versions;
  logger.warn({ node, openssl }, "no post-quantum key exchange: this Node's OpenSSL is older than 3.5");
}

/**
 * Applies pending migrations (`muster migrate`). Resolves with the number of the schema.
 *
 * @param serviceRole gets the privileges that a service needs on PostgreSQL
 * @throws Error while a service uses the folder, or if the role cannot be the service's
 */
export async function migrateDatabase(serviceRole?: string): Promise<{ schema: number }> {
  const config = loadConfig();
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const logger = createLogger(config.logLevel);
  const [url, directUrl] = [config.databaseUrl?.reveal(), config.databaseDirectUrl?.reveal()];
  const database = await openDatabase({ url, directUrl, dataDir: config.dataDir, logger });
  try {
    if (serviceRole !== undefined) await grantToServiceRole(database, serviceRole);
  } finally {
    await database.close();
  }
  return { schema: migrations.length };
}

/** Restores a backup into the data folder (`muster restore`; see `backup/restore.ts`). */
export async function restoreDatabase(file: string, options: RestoreOptions): Promise<Restored> {
  const config = loadConfig();
  if (config.databaseUrl)
    throw new Error(
      "MUSTER_DATABASE_URL is set: the data are in PostgreSQL; restore them with its own tools, then run muster reapply-revocations or muster revoke-all",
    );
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const logger = createLogger(config.logLevel);
  return await restore({ dataDir: config.dataDir, clock: systemClock, ids: randomIds, logger }, file, options);
}

/** The time limits of two offline databases: a large one may take its time. */
const OFFLINE = { connectMs: 10_000, statementMs: 600_000 };

/**
 * Reapplies revocations (`muster reapply-revocations`; see `backup/reapply-revocations.ts`).
 *
 * @param file contains the address of the former database; MUSTER_FORMER_DATABASE_URL if absent
 */
export async function reapplyFromFormer(file: string | undefined): Promise<ReappliedRevocations> {
  const config = loadConfig();
  const url = config.databaseUrl?.reveal();
  if (url === undefined)
    throw new Error("MUSTER_DATABASE_URL is not set: for the embedded database use muster restore <file> --replace");
  const formerUrl = file === undefined ? config.formerDatabaseUrl : await readAddressFile(file);
  if (formerUrl === undefined)
    throw new Error(
      "set the address of the former database in MUSTER_FORMER_DATABASE_URL, or in a file with --former-database-url-file",
    );
  const common = { logger: createLogger(config.logLevel), timeLimits: OFFLINE };
  // The former database is opened first, so that nothing is migrated if it cannot be read.
  const former = await openForReading(formerUrl.reveal(), { ...common, setting: "MUSTER_FORMER_DATABASE_URL" });
  try {
    const directUrl = config.databaseDirectUrl?.reveal();
    const database = await openDatabase({ ...common, url, directUrl, dataDir: config.dataDir });
    const deps = { database, former, clock: systemClock, ids: randomIds };
    return await reapplyRevocations(deps).finally(() => database.close());
  } finally {
    await former.close();
  }
}
