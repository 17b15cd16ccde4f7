import { sql } from "kysely";
import { percentile } from "../../load/measure.ts";
import type { Caller } from "../../server/src/access/access.ts";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import { randomIds } from "../../server/src/lib/ids.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import { benchFeatures } from "../fixtures/features.ts";
import { makeDays, storeSeconds, unlimited } from "../fixtures/telemetry-history.ts";
import { beside, type Figure, figure, note, timesAtMost } from "../report.ts";
import { onPostgres } from "../site.ts";

const DAYS = 30;
/** The retention of a tenant that has not chosen another. */
const DEFAULT_RETENTION_DAYS = 90;
const BUCKET_SECONDS = 3 * 3600;
/** These buckets are made of minutes. */
const SHORT_BUCKET_SECONDS = 1800;
const TURNS = 40;

/** The same chart without roll-ups and chunks. */
const scan = ({ deviceUid, from, to }: Charted) => sql`
  SELECT date_bin('3 hours', ts, 'epoch') AS bucket, min(numbers[1]), avg(numbers[1]), max(numbers[1]), count(*)
    FROM telemetry_messages
   WHERE shape_no = (SELECT shape_no FROM telemetry_shapes WHERE device_uid = ${deviceUid}) AND ts >= ${from} AND ts < ${to}
   GROUP BY 1 ORDER BY 1`;

interface Charted {
  caller: Caller;
  deviceId: string;
  deviceUid: string;
  from: Date;
  to: Date;
}

/**
 * A chart of one metric with a reading a second for 30 days, 2.6 million in all, through the use case. All but the last
 * two days are in chunks. The peer is a scan of all readings before they are.
 */
export async function chart(): Promise<Figure[]> {
  return await onPostgres(async ({ url }) => {
    const database = await openDatabase({ url, dataDir: "none", logger: createLogger("silent") });
    return await measured(database).finally(() => database.close());
  });
}

async function measured(database: Database): Promise<Figure[]> {
  const { features, authorities } = await benchFeatures(database);
  await authorities.close();
  const { telemetry } = features;
  const charted = await fill(database);
  const { caller, deviceId, from, to } = charted;
  const [ours, short, scans, rollUps]: [number[], number[], number[], number[]] = [[], [], [], []];
  await timed(rollUps, () => telemetry.rollUp());
  for (let turn = 0; turn < TURNS; turn += 8) await timed(scans, () => unlimited(database, scan(charted)));
  await telemetry.retireMessages();
  const sampled = [
    [ours, BUCKET_SECONDS],
    [short, SHORT_BUCKET_SECONDS],
  ] as const;
  for (let turn = 0; turn < TURNS; turn++)
    for (const [samples, bucketSeconds] of sampled) {
      const wanted = { from, to, bucketSeconds };
      const { points } = await timed(samples, () => telemetry.readSeries(caller, deviceId, "temperature", wanted));
      const count = points.reduce((sum, point) => sum + point.count, 0);
      if (count !== DAYS * 86_400) throw new Error(`the chart is of ${count} readings`);
    }
  const peer = beside("a scan", percentile(scans, 0.5));
  const text = `240 buckets; p99 ${percentile(ours, 0.99).toFixed(1)} ms`;
  return [
    figure("chart of 30 days of seconds, p50", percentile(ours, 0.5), "ms", peer, timesAtMost(0.1), note(text)),
    figure("the same in 1,440 buckets, of minutes, p50", percentile(short, 0.5), "ms"),
    figure("an hour of seconds rolled up", rollUps[0]! / (DAYS * 24 + 1), "ms"),
  ];
}

/** Stores the readings with the times that they would have arrived at, up to five minutes ago. */
async function fill(database: Database): Promise<Charted> {
  const to = new Date(Math.floor(Date.now() / 60_000 - 5) * 60_000);
  const from = new Date(to.getTime() - DAYS * 86_400_000);
  const [tenantId, deviceUid, deviceId] = [randomIds.uuid(to), randomIds.uuid(to), randomIds.deviceId()];
  const steps = [
    sql`INSERT INTO tenants (id, slug, name, created_at) VALUES (${tenantId}, 'charts', 'Charts', ${to})`,
    sql`INSERT INTO devices (uid, tenant_id, id, name, created_at, updated_at)
        VALUES (${deviceUid}, ${tenantId}, ${deviceId}, 'Charted', ${to}, ${to})`,
  ];
  for (const step of steps) await unlimited(database, step);
  const history = { deviceUid, from, to, retentionDays: DEFAULT_RETENTION_DAYS };
  await makeDays(database, history);
  await storeSeconds(database, history);
  await unlimited(database, sql`ANALYZE`);
  const caller: Caller = { tenantId, tenantSlug: "charts", actor: "system", rights: { kind: "system" } };
  return { caller, deviceId, deviceUid, from, to };
}

async function timed<T>(samples: number[], work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  samples.push(performance.now() - started);
  return result;
}
