import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { type App, createApp } from "./app.ts";
import { type Restored, type RestoreMode, restore } from "./backup/backup.ts";
import { type Config, loadConfig } from "./config/config.ts";
import { portProblem } from "./config/port-problem.ts";
import { openDatabase } from "./db/database.ts";
import { migrations } from "./db/migrations/index.ts";
import { greeting } from "./greeting.ts";
import { systemClock } from "./lib/clock.ts";
import { randomIds } from "./lib/ids.ts";
import { createLogger, type Logger } from "./lib/logger.ts";
import { descriptorLimit, descriptorsNeeded } from "./lib/sockets/descriptor-limit.ts";
import { withTimeout } from "./lib/timeouts.ts";

/** A drain that takes longer ends the process with exit code 1. */
const DRAIN_MS = 15_000;

/** `muster serve`: runs until SIGTERM or SIGINT. @param settings override the environment. @returns the exit code */
export async function serve(settings: Record<string, string> = {}): Promise<number> {
  const config = loadConfig(settings);
  const logger = createLogger(config.logLevel);
  for (const name of config.unknownNames) logger.warn({ name }, "unknown setting: it has no effect");
  warnOfFewDescriptors(config, logger);
  const started = systemClock.monotonicMs();
  logger.info({ version: manifest.version, database: config.databaseUrl ? "postgresql" : "embedded" }, "starting");
  const app = await createApp(config, { logger });
  const stopped = untilSignal(app);
  try {
    await app.start();
  } catch (error) {
    await app.stop().catch(() => undefined);
    throw portProblem(config, error);
  }
  const caFile = await writeCa(app, config);
  // Before the line that says ready: a client that asks for a link then gets a later one, which replaces this one.
  const link = await app.identity.firstSetUpLink();
  logger.info(
    {
      httpUrl: app.baseUrl,
      brokerUrl: app.brokerUrl,
      caFile,
      metricsUrl: app.api.metricsUrl,
      startupMs: Math.round(systemClock.monotonicMs() - started),
    },
    "ready",
  );
  if (link) logger.info({ setupUrl: link.url, expiresAt: link.expiresAt }, "open the link to set up the service");
  if (process.stderr.isTTY)
    console.error(greeting({ appUrl: app.baseUrl, link, caFile: config.operatorTls ? undefined : caFile }));
  return stopped;
}

/** A socket beyond `ulimit -n` fails, before the caps on connections can choose which one to close. */
function warnOfFewDescriptors(config: Config, logger: Logger): void {
  const [openFiles, needed] = [descriptorLimit(), descriptorsNeeded(config.limits)];
  if (openFiles === undefined || openFiles >= needed) return;
  logger.warn(
    { openFiles, needed },
    "ulimit -n is lower than the caps on connections need: raise it, or lower the caps",
  );
}

/** `muster migrate`: applies pending migrations. Resolves with the number of the schema. @throws Error while a service uses the folder */
export async function migrateDatabase(): Promise<{ schema: number }> {
  const config = loadConfig();
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const logger = createLogger(config.logLevel);
  const database = await openDatabase({ url: config.databaseUrl?.reveal(), dataDir: config.dataDir, logger });
  await database.close();
  return { schema: migrations.length };
}

/** `muster restore`: restores a backup into the data folder, which must have no database (see `backup/restore.ts`). */
export async function restoreDatabase(file: string, mode: RestoreMode): Promise<Restored> {
  const config = loadConfig();
  if (config.databaseUrl)
    throw new Error("MUSTER_DATABASE_URL is set: the data are in PostgreSQL; restore them with pg_restore");
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const logger = createLogger(config.logLevel);
  return await restore({ dataDir: config.dataDir, clock: systemClock, ids: randomIds, logger }, file, mode);
}

function untilSignal(app: App): Promise<number> {
  return new Promise((resolve) => {
    let signalled = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (signalled) return;
      signalled = true;
      app.logger.info({ signal }, "stopping: no new work is accepted, running work is finished");
      resolve(withTimeout(stop(app), DRAIN_MS, () => tooLate(app)));
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

async function stop(app: App): Promise<number> {
  try {
    await app.stop();
    app.logger.info("stopped");
    return 0;
  } catch (error) {
    app.logger.error({ err: (error as Error).message }, "stopping failed");
    return 1;
  }
}

function tooLate(app: App): number {
  app.logger.error(`stopping took longer than ${DRAIN_MS / 1000} s: exiting`);
  return 1;
}

/** Writes the CA of the broker certificate and of the development HTTPS certificate to `tls/ca.pem`, and again when it changes. */
async function writeCa(app: App, config: Config): Promise<string> {
  const folder = join(config.dataDir, "tls");
  const file = join(folder, "ca.pem");
  const write = () => writeFile(file, app.authorities.serverCaBundlePem());
  await mkdir(folder, { recursive: true });
  await write();
  app.authorities.onChange(
    () => void write().catch((error: Error) => app.logger.warn({ err: error.message }, "could not write tls/ca.pem")),
  );
  return file;
}
