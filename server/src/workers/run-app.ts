import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { App } from "../app.ts";
import type { Config } from "../config/config.ts";
import { portProblem } from "../config/port-problem.ts";
import { SECOND } from "../lib/clock.ts";
import { withTimeout } from "../lib/timeouts.ts";

/**
 * The limit on stopping, in addition to the time for draining the sessions; beyond it the process exits with code 1.
 */
const STOP_MS = 15_000;

/**
 * The growth of the heap beyond the memory in use after which V8 collects all of it, in percent. V8's own limit is
 * several times that: with it, one tenant's long messages, which outlive the collections of short-lived objects, made
 * the process 100 MB larger.
 */
const HEAP_GROWTH_PERCENT = 40;

/** @throws {ConfigError} naming the setting of a port that cannot be opened */
export async function startApp(app: App): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  try {
    await app.start();
  } catch (error) {
    await app.stop().catch(() => undefined);
    throw portProblem(app.config, error);
  }
  collectStartGarbage();
}

/**
 * Collects all garbage once, which takes some 100 ms. V8 would keep its young generation as large as the start has made
 * it: 70 MB that an idle service does not need, and that load lets it have again.
 */
function collectStartGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
  setFlagsFromString("--no-expose-gc");
}

/** Stops the app on SIGTERM, on SIGINT, or when `ended` resolves with another reason. @returns the exit code */
export function untilStopped(app: App, ended?: Promise<string>): Promise<number> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onStop = (signal: string) => {
      if (isStopping) return;
      isStopping = true;
      app.logger.info({ signal }, "stopping: accepting no new work, finishing running work");
      const stopMs = STOP_MS + app.broker.drainSeconds * SECOND;
      resolve(withTimeout(stop(app), stopMs, () => tooLate(app, stopMs)));
    };
    process.on("SIGTERM", onStop);
    process.on("SIGINT", onStop);
    void ended?.then(onStop);
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

function tooLate(app: App, stopMs: number): number {
  app.logger.error(`stopping took longer than ${stopMs / SECOND} s: exiting`);
  return 1;
}

/**
 * Writes the CA of the broker certificate and the development HTTPS certificate to `tls/ca.pem`, now and on each
 * change.
 */
export async function writeCa(app: App, { dataDir }: Pick<Config, "dataDir">): Promise<string> {
  const folder = join(dataDir, "tls");
  const file = join(folder, "ca.pem");
  const write = () => writeFile(file, app.authorities.serverCaBundlePem());
  await mkdir(folder, { recursive: true });
  await write();
  app.authorities.onChange(
    () => void write().catch((error: Error) => app.logger.warn({ err: error.message }, "could not write tls/ca.pem")),
  );
  return file;
}
