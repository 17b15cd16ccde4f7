import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config/config.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Ids } from "../../src/lib/ids.ts";
import { createLogger, type LogLevel } from "../../src/lib/logger.ts";
import type { Part } from "../../src/process/part.ts";
import { fillFolder, PATIENT, testDatabase } from "./database/database.ts";
import { FakeClock } from "./fake-clock.ts";

/** A real server on free loopback ports, with a clock that the test controls. */
export interface TestServer {
  readonly app: App;
  readonly clock: FakeClock;
  /** All log lines so far, unparsed. */
  readonly logs: string[];
  readonly httpUrl: string;
  readonly httpPort: number;
  readonly mqttPort: number;
  readonly dataDir: string;
  /** PEM that verifies both listeners. */
  readonly ca: string;
  readonly databaseUrl: string | undefined;
  stop(): Promise<void>;
}

export interface ServerOptions {
  env?: Record<string, string>;
  ids?: Ids;
  clock?: FakeClock;
  /** The clock of the machine, in place of one clock for all processes (PostgreSQL). */
  machineClock?: Clock;
  logLevel?: LogLevel;
  /**
   * The clock by which its lease as a node expires. By default it stands still, even while the test advances `clock`.
   */
  leaseClock?: Pick<Clock, "monotonicMs">;
  /**
   * The part this process plays in a service of several processes. Parts with the same data folder exchange MQTT
   * messages.
   */
  part?: Part;
  /** A server whose database this one shares, to run two processes on one PostgreSQL database. */
  share?: TestServer;
  /** An existing PostgreSQL database, in place of a new one. */
  databaseUrl?: string;
  /** Whether statements may take longer than a service's, also with `databaseUrl`. */
  patient?: boolean;
  /** Keeps the embedded database in the data folder, in its own thread, as the service does. */
  onDisk?: boolean;
  /** An existing data folder with an embedded database, which is not removed. */
  dataDir?: string;
}

export const TEST_MASTER_KEY = Buffer.alloc(32, 7).toString("base64");

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "muster-test-")));
  const onDisk = options.onDisk || options.dataDir !== undefined;
  const own = options.share || options.databaseUrl || options.dataDir ? undefined : await testDatabase();
  const discard = async () => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    await own?.remove();
  };
  const databaseUrl = options.databaseUrl ?? options.share?.databaseUrl ?? own?.url;
  if (options.onDisk && databaseUrl === undefined) await fillFolder(dataDir);
  const clock = options.clock ?? options.share?.clock ?? new FakeClock();
  const logs: string[] = [];
  // A test that chooses the address of its database tests how the service waits for it.
  const timeLimits =
    !options.patient && (options.databaseUrl || options.env?.MUSTER_DATABASE_URL) ? undefined : PATIENT;
  const logger = createLogger(options.logLevel ?? "trace", { write: (line) => void logs.push(line) });
  const config = parseConfig({
    MUSTER_DATA_DIR: dataDir,
    MUSTER_HTTP_HOST: "127.0.0.1",
    MUSTER_HTTP_PORT: "0",
    MUSTER_MQTT_HOST: "127.0.0.1",
    MUSTER_MQTT_PORT: "0",
    MUSTER_METRICS_PORT: "0",
    MUSTER_MASTER_KEY: TEST_MASTER_KEY,
    ...(databaseUrl ? { MUSTER_DATABASE_URL: databaseUrl } : {}),
    ...options.env,
  });
  const overrides = {
    ...(options.machineClock ? { machineClock: options.machineClock } : { clock }),
    logger,
    leaseClock: options.leaseClock ?? new FakeClock(),
    inMemory: !onDisk,
    timeLimits,
    ...(options.ids ? { ids: options.ids } : {}),
    ...(own?.snapshot && !onDisk ? { snapshot: own.snapshot } : {}),
  };
  const app = await createApp(config, overrides, options.part).catch((error) =>
    discard().then(() => Promise.reject(error)),
  );
  await app.start();
  return {
    app,
    clock,
    logs,
    httpUrl: app.baseUrl,
    httpPort: Number(new URL(app.baseUrl).port),
    mqttPort: Number(new URL(app.brokerUrl).port),
    dataDir,
    ca: app.authorities.serverCaBundlePem(),
    databaseUrl,
    stop: async () => {
      await app.stop();
      await discard();
    },
  };
}
