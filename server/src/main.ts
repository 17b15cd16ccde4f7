import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { type App, createApp } from "./app.ts";
import { type Restored, type RestoreMode, restore } from "./backup/backup.ts";
import { type Config, loadConfig } from "./config/config.ts";
import { portProblem } from "./config/port-problem.ts";
import { openDatabase } from "./db/database.ts";
import { migrations } from "./db/migrations/index.ts";
import { systemClock } from "./lib/clock.ts";
import { randomIds } from "./lib/ids.ts";
import { createLogger } from "./lib/logger.ts";
import { withTimeout } from "./lib/timeouts.ts";

/** How long a drain may take before the process leaves anyway. */
const DRAIN_MS = 15_000;

/** `muster serve`: runs until SIGTERM or SIGINT. Resolves with the exit code. */
export async function serve(): Promise<number> {
  const config = loadConfig();
  const logger = createLogger(config.logLevel);
  for (const name of config.unknownNames) logger.warn({ name }, "this setting is not known and has no effect");
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
  return stopped;
}

/** `muster migrate`: brings the schema up to date and answers with its number. Refuses while a service holds the folder. */
export async function migrateDatabase(): Promise<{ schema: number }> {
  const config = loadConfig();
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const logger = createLogger(config.logLevel);
  const database = await openDatabase({ url: config.databaseUrl?.reveal(), dataDir: config.dataDir, logger });
  await database.close();
  return { schema: migrations.length };
}

/** `muster restore`: makes a backup the database of a data folder that has none (see `backup/restore.ts`). */
export async function restoreDatabase(file: string, mode: RestoreMode): Promise<Restored> {
  const config = loadConfig();
  if (config.databaseUrl)
    throw new Error("MUSTER_DATABASE_URL is set: PostgreSQL keeps the data; restore it with pg_restore");
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
      app.logger.info({ signal }, "stopping: taking no new work, finishing what is under way");
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
  app.logger.error("stopping took too long; leaving");
  return 1;
}

/** The CA that the development HTTPS certificate and the broker's certificate hang from, for curl and browsers. */
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
