import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { sendCommand } from "../../src/control/client.ts";
import { copyToPostgres } from "./copy-to-postgres.ts";
import type { TestDevice } from "./devices.ts";
import { FakeClock } from "./fake-clock.ts";
import type { ServerProcess } from "./process.ts";
import { type ServerOptions, startServer, type TestServer } from "./server.ts";

const HOUR = 3_600_000;

/** What `make.ts` wrote down of the installation that it left. */
export interface Installation {
  /** When the service had stopped. */
  stoppedAt: string;
  /** API keys by tenant, and claim codes. */
  keys: Record<string, string>;
  devices: Record<string, TestDevice>;
  /** What a tenant's lists held. */
  // biome-ignore lint/suspicious/noExplicitAny: records of the API, as JSON
  records: Record<string, Record<string, any[]>>;
}

export type RunningService = Pick<ServerProcess, "httpUrl" | "mqttPort" | "ca" | "command"> &
  Pick<TestServer, "app" | "clock" | "stop">;

/** A data folder of an earlier version, unpacked. */
export type Unpacked = Awaited<ReturnType<typeof unpackInstallation>>;

/** @param onPostgres whether the rows go to a PostgreSQL database of their own, at the schema that they had */
export async function unpackInstallation(fixture: string, { onPostgres = false } = {}) {
  const left: Installation = JSON.parse(await readFile(join(fixture, "installation.json"), "utf8"));
  const dataDir = await mkdtemp(join(tmpdir(), "muster-earlier-"));
  const tar = brotliDecompressSync(await readFile(join(fixture, "data-folder.tar.br")));
  execFileSync("tar", ["-xf", "-", "-C", dataDir], { input: tar });
  const database = onPostgres ? await copyToPostgres(dataDir) : undefined;
  let starts = 0;
  return {
    ...left,
    dataDir,
    /** Starts the service, on a clock an hour after its start before. */
    start: (folder = dataDir): Promise<RunningService> => {
      const clock = new FakeClock(new Date(Date.parse(left.stoppedAt) + starts++ * HOUR));
      return start(database ? { databaseUrl: database.url, clock } : { dataDir: folder, clock });
    },
    remove: async () => {
      await database?.remove();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** In this process, on a clock that the test can set. */
async function start(options: ServerOptions): Promise<RunningService> {
  const { app, clock, httpUrl, mqttPort, ca, dataDir, stop } = await startServer({
    ...options,
    env: { MUSTER_EMBEDDED_SYNC: "off" },
  });
  const command = async (name: string, body: object) => {
    const answer = await sendCommand(dataDir, name, body);
    if (!answer.ok) throw new Error(`${name}: ${answer.problem.message}`);
    return answer.result;
  };
  return { app, clock, httpUrl, mqttPort, ca, command, stop };
}
