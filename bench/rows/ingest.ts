import { sql } from "kysely";
import { type Load, measured, sleep } from "../../load/measure.ts";
import { closeAll, openAll, type Session } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { query } from "../../load/postgres.ts";
import { meterOf } from "../../load/processes.ts";
import { publishOnAll } from "../../load/publisher.ts";
import { openDatabase } from "../../server/src/db/database.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import {
  atLeast,
  atMost,
  beside,
  bothMs,
  databaseMs as databaseMsOf,
  type Figure,
  figure,
  note,
  rate,
} from "../report.ts";
import { group, row } from "../run.ts";
import { type Engine, onSite, type Site } from "../site.ts";
import { anomalyDelay } from "./anomaly-delay.ts";
import { enrollThousands, type Redemptions } from "./enrollment/redemption.ts";

/** The number of sending devices; all of them stay connected. */
const FLEETS = [10, 1000, 10_000] as const;
const DEVICES = 10_000;
const METRICS = 3;
/** Messages in flight: of a device, and the least of all devices together, so that few devices load the server too. */
const WINDOW = 10;
const UNDER_WAY = 4000;
const WARM_UP_SECONDS = 2;
const SECONDS = 6;
/**
 * The distance between the times of a run and of the previous one: rules skip readings that are older than the newest
 * one.
 */
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

/** Rows of ingest on both databases. */
export async function ingest(): Promise<void> {
  await ingestOn("PGlite", ["ingest-pglite"]);
  await ingestOn("PostgreSQL", ["ingest-postgresql-anomaly", "ingest-postgresql"]);
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
  const send = (devices: number) => stored(muster, site, sessions.slice(0, devices));
  const results: Stored[] = [];
  for (const devices of FLEETS) results.push(await send(devices));
  await tenant.assignRules([]);
  const plain = await send(1000);
  await closeAll(sessions);
  const [few, some] = results as [Stored, Stored];
  const { pace, cost } = TARGETS[site.engine];
  const rows = results.flatMap(({ load, text }, index) => {
    const where = `${FLEETS[index]!.toLocaleString("en-US")} devices, ${site.engine}`;
    const peer = index === 0 ? {} : beside(`${FLEETS[0]} devices`, us(few.load));
    return [
      figure(`messages stored and evaluated, ${where}`, rate(load), "/s", pace),
      figure(`CPU a message, ${where}`, us(load), "µs", peer, note(text), cost),
    ];
  });
  const rules = figure(
    `CPU of five rules, ${site.engine}`,
    us(some.load),
    "µs",
    beside("without rules", us(plain.load)),
  );
  const messages = [plain, ...results].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  return { figures: [...rows, rules], readings: messages * METRICS };
}

/** Messages with their CPU time, and the database's part as text. */
interface Stored {
  readonly acknowledged: number;
  readonly load: Load;
  readonly text: string;
}

const us = (load: Load) => bothMs(load) * 1000;

/** Publishes on all sessions at full rate and measures the CPU of server and database. */
async function stored({ pid }: MusterProcess, site: Site, sessions: readonly Session[]): Promise<Stored> {
  const from = Math.max(Date.now(), lastTime) + APART_MS;
  const publisher = publishOnAll(sessions, { window: Math.max(WINDOW, Math.ceil(UNDER_WAY / sessions.length)), from });
  const { url, databaseMs } = site;
  const logBytes = async () => (url === undefined ? 0 : Number((await query(url, LOG_BYTES))[0]!.bytes));
  await sleep(WARM_UP_SECONDS * 1000);
  const [bytes, before] = [await logBytes(), publisher.acknowledged];
  const load = await measured(meterOf(pid, databaseMs), async () => {
    await sleep(SECONDS * 1000);
    return publisher.acknowledged - before;
  });
  const logged = ((await logBytes()) - bytes) / load.count;
  const acknowledged = await publisher.finish();
  lastTime = from + publisher.longest();
  const text = `database ${(databaseMsOf(load) * 1000).toFixed(1)} µs and ${logged.toFixed(0)} bytes of its log`;
  return { acknowledged, load, text: url === undefined ? "the database is part of the server" : text };
}

/** Every acknowledged reading must be in the database, or the figures are void. */
async function checkReadings({ url, dataDir, engine }: Site, atLeast: number): Promise<void> {
  const database = await openDatabase({ url, dataDir, logger: createLogger("silent") });
  const count = sql<{ count: string }>`
    SELECT sum(coalesce(cardinality(numbers), 0) + coalesce(cardinality(texts), 0)) AS count FROM telemetry_messages`;
  const { rows } = await count.execute(database.db).finally(() => database.close());
  const found = Number(rows[0]!.count);
  if (found < atLeast)
    throw new Error(`${atLeast} readings were acknowledged on ${engine}, but only ${found} are stored`);
}
