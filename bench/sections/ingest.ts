import { unlessEnded } from "../interrupt.ts";
import { assignRules } from "../load/rules.ts";
import { startBareBroker } from "../peers/bare-broker.ts";
import { embeddedEngine, type IngestEngine, postgresEngine } from "../peers/ingest-engine.ts";
import { newDataDir, startMuster } from "../peers/muster.ts";
import { anomalyDelay } from "../rows/anomaly-delay.ts";
import { redemptions } from "../rows/enrollment/redemption.ts";
import { acknowledgedOnly, DEVICES, ingest } from "../rows/ingest.ts";
import { add, available, progress } from "../run.ts";

/** Messages and bytes a second are not limited: ten devices are to load the server as thousands do. */
const UNLIMITED = { MUSTER_MQTT_MESSAGES_PER_SECOND: "0", MUSTER_LIMIT_MQTT_BYTES_PER_SECOND: "100000000" };

export async function ingestOnEmbedded(): Promise<void> {
  await ingestOn(async (dataDir) => embeddedEngine(dataDir));
}

/** Ingest on PostgreSQL, and before it the row "publish to anomaly". */
export async function ingestOnPostgres(): Promise<void> {
  await ingestOn(postgresEngine);
  progress("messages that are only acknowledged");
  const bare = await startBareBroker();
  add(await unlessEnded(acknowledgedOnly(bare)).finally(bare.stop));
}

async function ingestOn(open: (dataDir: string) => Promise<IngestEngine>): Promise<void> {
  const dataDir = newDataDir();
  const engine = await available("no ingest", () => open(dataDir.path));
  if (engine) await measureIngest(engine, dataDir.path).finally(dataDir.remove);
}

async function measureIngest(engine: IngestEngine, dataDir: string): Promise<void> {
  progress(`${DEVICES} devices enroll, ${engine.name}`);
  const muster = await startMuster(dataDir, engine.databaseUrl, UNLIMITED);
  let stored = 0;
  try {
    const enrolled = await unlessEnded(redemptions(muster, { name: engine.name, cpuMs: engine.cpuMs }));
    await assignRules(muster, enrolled.deviceTypeId);
    if (engine.databaseUrl !== undefined && engine.load !== undefined) {
      progress("publish to anomaly");
      add(await unlessEnded(anomalyDelay(muster, engine.databaseUrl, enrolled, engine.load / 2)));
    }
    progress(`messages of 10 to ${DEVICES} devices, ${engine.name}`);
    const { figures: rows, readings } = await unlessEnded(ingest(muster, engine, enrolled));
    add(rows);
    stored = readings;
  } finally {
    await muster.stop();
    if (stored > 0) await unlessEnded(checkReadings(engine, stored));
    await engine.stop();
  }
}

/** Every acknowledged reading must be in the database, or the figures are void. */
async function checkReadings(engine: IngestEngine, atLeast: number): Promise<void> {
  const found = await engine.readings();
  if (found < atLeast) throw new Error(`${atLeast} readings were acknowledged on ${engine.name}, ${found} are there`);
}
