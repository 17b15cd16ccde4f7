import { sql } from "kysely";
import { openDatabase } from "../../server/src/db/database.ts";
import { addMs, HOUR, MINUTE, systemClock } from "../../server/src/lib/clock.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import { benchFeatures } from "../fixtures/features.ts";
import { makeDays, storeSeconds, unlimited } from "../fixtures/telemetry-history.ts";
import { atMost, type Figure, figure, note } from "../report.ts";
import { setting } from "../run.ts";
import { onPostgres } from "../site.ts";

const DEVICES = setting("devices", 1_000);
const MESSAGES = 60;
/** An hour is due when its last message has been there for this long. */
const DUE_MS = 3 * MINUTE;
const AT_MOST_MS = 1_000;

/**
 * CPU of PostgreSQL for the roll-ups of the minute in which an hour of each of a thousand devices is due; and the time
 * of rolling up an hour of a device that sends every second.
 */
export async function rollUps(): Promise<Figure[]> {
  return await onPostgres(async ({ url, databaseMs }) => {
    let passedMs = 0;
    const clock = { ...systemClock, now: () => addMs(systemClock.now(), passedMs) };
    const database = await openDatabase({ url, dataDir: "none", logger: createLogger("silent") });
    try {
      const { access, connections, telemetry } = (await benchFeatures(database, clock)).features;
      await connections.startNode();
      await access.createTenant({ slug: "bench", name: "Bench" });
      const { tenantId } = await access.systemCaller("bench");
      await unlimited(
        database,
        sql`INSERT INTO devices (uid, tenant_id, id, name, created_at, updated_at)
            SELECT gen_random_uuid(), ${tenantId}, 'pump-' || n, 'Pump', now(), now() FROM generate_series(0, ${DEVICES}::int) n`,
      );
      const all = await sql<{ uid: string; id: string }>`SELECT uid, id FROM devices`.execute(database.db);
      const [dense, ...rows] = all.rows;
      const hour = Math.floor(clock.now().getTime() / HOUR - 1) * HOUR;
      const points = Array.from({ length: MESSAGES }, (_, n) => ({
        ts: hour + n * MINUTE,
        values: { temperature: n },
      }));
      const payload = Buffer.from(JSON.stringify(points));
      await Promise.all(
        rows.map(({ uid, id }) =>
          telemetry.ingest({ tenantId, deviceUid: uid, deviceId: id, topic: `t/bench/telemetry/${id}`, payload }),
        ),
      );
      await unlimited(database, sql`ANALYZE`);
      passedMs = DUE_MS;
      const before = databaseMs();
      await telemetry.rollUp();
      const used = databaseMs() - before;
      const count = sql<{ n: number }>`SELECT count(*)::int AS n FROM telemetry_hour`;
      const { n } = (await count.execute(database.db)).rows[0]!;
      if (n !== DEVICES) throw new Error(`${n} of ${DEVICES} hours were rolled up`);
      const name = `roll-ups in the minute in which ${DEVICES.toLocaleString("en")} hours are due, database CPU`;
      const day = {
        deviceUid: dense!.uid,
        from: new Date(hour - 25 * HOUR),
        to: new Date(hour - HOUR),
        retentionDays: 90,
      };
      await makeDays(database, day);
      await storeSeconds(database, day);
      await unlimited(database, sql`ANALYZE`);
      const started = performance.now();
      await telemetry.rollUp();
      return [
        figure(name, used, "ms", atMost(AT_MOST_MS), note(`${MESSAGES} readings each`)),
        figure("an hour of seconds rolled up", (performance.now() - started) / 24, "ms"),
      ];
    } finally {
      await database.close();
    }
  });
}
