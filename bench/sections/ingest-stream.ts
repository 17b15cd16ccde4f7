import { NATS_VERSION_FLOOR } from "../../server/test/harness/nats-server.ts";
import { unlessEnded } from "../interrupt.ts";
import { enrollDevices } from "../load/devices.ts";
import { createTenant } from "../load/tenant.ts";
import { cpuMs, familyCpuMs, until } from "../measure.ts";
import { type MusterProcess, newDataDir, startMuster } from "../peers/muster.ts";
import { startNatsServers } from "../peers/nats.ts";
import { query, startPostgres } from "../peers/postgres.ts";
import {
  DEVICES,
  ingestOfWay,
  ingestStreamFigures,
  type Measured,
  ROUNDS,
  WAYS,
  type Way,
} from "../rows/ingest-stream.ts";
import { add, available, progress } from "../run.ts";

const SERVERS = 3;

/** Messages that are acknowledged once three NATS servers have them, beside those that PostgreSQL has, in turns on one database. */
export async function ingestStreamOnPostgres(): Promise<void> {
  const postgres = await available("no ingest-stream", startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  const nats = (await available("no ingest-stream", () => startNatsServers(SERVERS, true))) ?? [];
  try {
    if (nats.length === 0) return;
    const databaseUrl = await postgres.createDatabase("ingest_stream");
    const settings = {
      MUSTER_NATS_URL: nats.map(({ url }) => url).join(","),
      MUSTER_TEST_NATS_VERSION_FLOOR: NATS_VERSION_FLOOR,
    };
    const running = async <T>(way: Way, work: (muster: MusterProcess) => Promise<T>): Promise<T> => {
      const muster = await startMuster(dataDir.path, databaseUrl, { ...settings, MUSTER_INGEST: way });
      return await unlessEnded(work(muster)).finally(() => muster.stop());
    };
    progress(`${DEVICES} devices enroll`);
    const identities = await running("direct", (muster) => enrollDevices(muster, createTenant(muster), DEVICES));
    const count = async () => {
      const [row] = await query<{ count: string }>(databaseUrl, "SELECT count(*) FROM telemetry_messages");
      return Number(row!.count);
    };
    const measured = new Map<Way, Measured[]>(WAYS.map((way) => [way, []]));
    for (let round = 1; round <= ROUNDS; round++) {
      for (const way of WAYS) {
        progress(`MUSTER_INGEST=${way}, round ${round} of ${ROUNDS}`);
        const measure = async (muster: MusterProcess) => {
          // What a former process has left in the stream is stored first.
          await until(`MUSTER_INGEST=${way}`, 60, async () => (await waysOf(databaseUrl)) === way || undefined);
          const natsMs = () => nats.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
          const used = () => ({ serverMs: familyCpuMs(muster.pid), databaseMs: postgres.cpuMs(), natsMs: natsMs() });
          return ingestOfWay(muster, identities, { used, count });
        };
        measured.get(way)!.push(await running(way, measure));
      }
    }
    add(ingestStreamFigures(measured));
  } finally {
    await Promise.all(nats.map((server) => server.stop()));
    await postgres.stop();
    dataDir.remove();
  }
}

/** Which way the messages of devices take. */
async function waysOf(databaseUrl: string): Promise<string> {
  const rows = await query<{ way: string }>(databaseUrl, "SELECT DISTINCT way FROM stream_processes");
  return rows.map(({ way }) => way).join();
}
