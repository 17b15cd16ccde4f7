import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { sendCommand } from "../../src/control/client.ts";
import { copyToPostgres } from "./copy-to-postgres.ts";
import type { TestDevice } from "./devices.ts";
import { FakeClock } from "./fake-clock.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { startServer, TEST_MASTER_KEY } from "./server.ts";
import { clockFrom } from "./shifted-clock.ts";

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

export type RunningService = Pick<ServerProcess, "httpUrl" | "mqttPort" | "ca" | "command"> & {
  stop(): Promise<unknown>;
};

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
  /** The time at which the next process starts: an hour after the one before. */
  const next = () => new Date(Date.parse(left.stoppedAt) + starts++ * HOUR);
  const env = () => ({ MUSTER_MASTER_KEY: TEST_MASTER_KEY, ...clockFrom(next()) });
  return {
    ...left,
    dataDir,
    /** Settings of a process that starts at the next time. */
    env,
    start: async (folder = dataDir): Promise<RunningService> => {
      if (database) return inProcess(database.url, new FakeClock(next()));
      const server = await startProcess(folder, undefined, { env: env() });
      return { ...server, stop: () => server.end("SIGTERM") };
    },
    remove: async () => {
      await database?.remove();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** On PostgreSQL a process follows the database's clock, which no test can set: the service runs here, on a clock that it can. */
async function inProcess(databaseUrl: string, clock: FakeClock): Promise<RunningService> {
  const { httpUrl, mqttPort, ca, dataDir, stop } = await startServer({ databaseUrl, clock });
  const command = async (name: string, body: object) => {
    const answer = await sendCommand(dataDir, name, body);
    if (!answer.ok) throw new Error(`${name}: ${answer.problem.message}`);
    return answer.result;
  };
  return { httpUrl, mqttPort, ca, command, stop };
}
