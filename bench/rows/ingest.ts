import { sql } from "kysely";
import { sleep } from "../../load/measure.ts";
import { closeAll, type Identity, openAll, type Session } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { query } from "../../load/postgres.ts";
import { cpuMs } from "../../load/processes.ts";
import { publishOnAll } from "../../load/publisher.ts";
import { openDatabase } from "../../server/src/db/database.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import { startBareBroker } from "../peers/bare-servers.ts";
import { atLeast, atMost, beside, type Figure, figure, note } from "../report.ts";
import { group, row } from "../run.ts";
import { type Engine, onSite, type Site } from "../site.ts";
import { anomalyDelay } from "./anomaly-delay.ts";
import { enrollThousands, type Redemptions } from "./enrollment/redemption.ts";

/** How many devices send; all of them stay connected. */
const FLEETS = [10, 1000, 10_000] as const;
const DEVICES = 10_000;
const METRICS = 3;
/** Messages in flight: of a device, and at least so many of all devices together, so that few devices load the server too. */
const WINDOW = 10;
const UNDER_WAY = 4000;
const WARM_UP_SECONDS = 2;
const SECONDS = 6;
/** How far each run's times are ahead of the run before: rules skip readings that are older than the newest one. */
const APART_MS = 30_000;
/** No limit of messages and bytes a second: ten devices are to load the server as thousands do. */
const UNLIMITED = { MUSTER_MQTT_MESSAGES_PER_SECOND: "0", MUSTER_LIMIT_MQTT_BYTES_PER_SECOND: "100000000" };
/** Half of what PostgreSQL stores, for the delay of anomalies. */
const ANOMALY_LOAD = 10_000;
const RULES = [
  { metric: "temperature", operator: "gt", value: 90, forSeconds: 10, clearForSeconds: 5, severity: "major" },
  { metric: "temperature", operator: "gt", value: 110, severity: "critical" },
  { metric: "pressure", operator: "outside", value: [2, 8], severity: "major" },
  { metric: "vibration", operator: "gte", value: 7, clearValue: 6, forSeconds: 5, severity: "major" },
  { metric: "vibration", operator: "gte", value: 12, severity: "critical" },
];
const TARGETS = {
  PGlite: { pace: atLeast(25_000), cost: {} },
  PostgreSQL: { pace: atLeast(42_000), cost: atMost(28) },
} as const;
const LOG_BYTES = "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes";

let lastTime = 0;

/** Rows of ingest on both databases, and the floor of a server that only acknowledges. */
export async function ingest(): Promise<void> {
  await ingestOn("PGlite", ["ingest-pglite"]);
  await ingestOn("PostgreSQL", ["ingest-postgresql-anomaly", "ingest-postgresql"]);
  await row("ingest-postgresql-bare", acknowledgedOnly);
}

async function ingestOn(engine: Engine, names: readonly string[]): Promise<void> {
  await group(names, () =>
    onSite(engine, async (site) => {
      const enrolled = await site.serve(async (muster, meter) => {
        const redemptions = await enrollThousands(muster, meter);
        await redemptions.tenant.assignRules([RULES]);
        return redemptions;
      });
      const { identities } = enrolled;
      const { url } = site;
      if (url !== undefined)
        await row("ingest-postgresql-anomaly", () =>
          site.serve((muster) => anomalyDelay(muster, url, identities, ANOMALY_LOAD), UNLIMITED),
        );
      await row(names.at(-1)!, async () => {
        const { figures, readings } = await site.serve((muster) => fleets(muster, site, enrolled), UNLIMITED);
        await checkReadings(site, readings);
        return figures;
      });
    }),
  );
}

/**
 * Messages of three metrics from the socket to the committed row, with five rules evaluated per device, as the fleet
 * grows. The rules are removed at the end.
 *
 * @returns also how many readings the database must contain at least
 */
async function fleets(
  muster: MusterProcess,
  site: Site,
  { identities, tenant }: Redemptions,
): Promise<{ figures: Figure[]; readings: number }> {
  const sessions = await openAll(muster.mqtt, identities.slice(0, DEVICES));
  const load = (devices: number) => stored(muster, site, sessions.slice(0, devices));
  const results: Stored[] = [];
  for (const devices of FLEETS) results.push(await load(devices));
  await tenant.assignRules([]);
  const plain = await load(1000);
  await closeAll(sessions);
  const [few, some] = results as [Stored, Stored];
  const { pace, cost } = TARGETS[site.engine];
  const rows = results.flatMap(({ perSecond, cpuUs, database }, index) => {
    const where = `${FLEETS[index]!.toLocaleString("en-US")} devices, ${site.engine}`;
    const peer = index === 0 ? {} : beside(`${FLEETS[0]} devices`, few.cpuUs);
    return [
      figure(`messages stored and evaluated, ${where}`, perSecond, "/s", pace),
      figure(`CPU a message, ${where}`, cpuUs, "µs", peer, note(database), cost),
    ];
  });
  const rules = figure(`CPU of five rules, ${site.engine}`, some.cpuUs, "µs", beside("without rules", plain.cpuUs));
  const messages = [plain, ...results].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  return { figures: [...rows, rules], readings: messages * METRICS };
}

interface Stored {
  readonly acknowledged: number;
  readonly perSecond: number;
  readonly cpuUs: number;
  /** The database's part: its CPU time a message, and the bytes that it logs. */
  readonly database: string;
}

async function stored(
  { pid }: MusterProcess,
  { url, databaseMs }: Site,
  sessions: readonly Session[],
): Promise<Stored> {
  const logBytes = async () =>
    url === undefined ? 0 : Number((await query<{ bytes: string }>(url, LOG_BYTES))[0]!.bytes);
  const { acknowledged, perSecond, each } = await published(sessions, async () => ({
    server: cpuMs(pid),
    database: databaseMs(),
    log: await logBytes(),
  }));
  const database = `database ${(each("database") * 1000).toFixed(1)} µs and ${each("log").toFixed(0)} bytes of its log`;
  return {
    acknowledged,
    perSecond,
    cpuUs: (each("server") + each("database")) * 1000,
    database: url === undefined ? "the database is part of the server" : database,
  };
}

/** The floor: the cost of the same messages on a server that only acknowledges them. */
async function acknowledgedOnly(): Promise<Figure[]> {
  const bare = await startBareBroker();
  try {
    const identities: Identity[] = await bare.newIdentities(DEVICES);
    const sessions = await openAll(bare.target, identities);
    const figures: Figure[] = [];
    for (const devices of FLEETS) {
      const { each } = await published(sessions.slice(0, devices), async () => ({ server: cpuMs(bare.pid) }));
      const name = `CPU of a message only acknowledged, ${devices.toLocaleString("en-US")} devices, bare Node TLS`;
      figures.push(figure(name, each("server") * 1000, "µs"));
    }
    await closeAll(sessions);
    return figures;
  } finally {
    await bare.stop();
  }
}

/**
 * Publishes on all sessions at full rate.
 *
 * @param use reads what has been used so far; `each` returns the use per message
 */
async function published<Use extends Record<string, number>>(
  sessions: readonly Session[],
  use: () => Promise<Use>,
): Promise<{ acknowledged: number; perSecond: number; each(what: keyof Use): number }> {
  const from = Math.max(Date.now(), lastTime) + APART_MS;
  const publisher = publishOnAll(sessions, { window: Math.max(WINDOW, Math.ceil(UNDER_WAY / sessions.length)), from });
  const now = async () => ({ count: publisher.acknowledged, use: await use(), at: performance.now() });
  await sleep(WARM_UP_SECONDS * 1000);
  const before = await now();
  await sleep(SECONDS * 1000);
  const after = await now();
  const count = after.count - before.count;
  const acknowledged = await publisher.finish();
  lastTime = from + publisher.longest();
  return {
    acknowledged,
    perSecond: (count * 1000) / (after.at - before.at),
    each: (what) => (after.use[what]! - before.use[what]!) / count,
  };
}

/** Every acknowledged reading must be in the database, or the figures are void. */
async function checkReadings({ url, dataDir, engine }: Site, atLeast: number): Promise<void> {
  const database = await openDatabase({ url, dataDir, logger: createLogger("silent") });
  const count = sql<{ count: string }>`
    SELECT sum(coalesce(cardinality(numbers), 0) + coalesce(cardinality(texts), 0)) AS count FROM telemetry_messages`;
  const { rows } = await count.execute(database.db).finally(() => database.close());
  const found = Number(rows[0]!.count);
  if (found < atLeast) throw new Error(`${atLeast} readings were acknowledged on ${engine}, ${found} are there`);
}
