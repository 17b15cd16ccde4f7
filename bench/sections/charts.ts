import { sql } from "kysely";
import type { Browser } from "playwright-core";
import { openDatabase } from "../../server/src/db/database.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import { telemetryUseCases } from "../../server/src/telemetry/telemetry.ts";
import { unlessEnded } from "../interrupt.ts";
import { createAdministrator } from "../load/administrator.ts";
import { startBrowser } from "../load/browser.ts";
import { makeDays, storeHours, storeSeconds, unlimited } from "../load/telemetry-history.ts";
import { type MusterProcess, newDataDir, startMuster } from "../peers/muster.ts";
import { startPostgres } from "../peers/postgres.ts";
import { chartsInBrowser } from "../rows/charts.ts";
import { add, available, progress } from "../run.ts";

const DAY_MS = 86_400_000;
const DEVICE = "pump-1";
/** Stored for a year: no chart has more partitions to choose from. */
const RETENTION_DAYS = 365;
/** Before them there are hours only. */
const DAYS_OF_SECONDS = 30;

/** Charts of the admin app in Chromium, on both databases. */
export async function chartsOnBoth(): Promise<void> {
  const browser = await available("no charts of the admin app", startBrowser);
  if (browser === undefined) return;
  try {
    await chartsOn(browser, "embedded");
    const postgres = await available("no charts on PostgreSQL", startPostgres);
    if (postgres === undefined) return;
    await chartsOn(browser, "PostgreSQL", await postgres.createDatabase("app")).finally(postgres.stop);
  } finally {
    await browser.close();
  }
}

async function chartsOn(browser: Browser, engine: string, databaseUrl?: string): Promise<void> {
  const dataDir = newDataDir();
  try {
    await onMuster(dataDir.path, databaseUrl, async (muster) => {
      muster.command("tenant", "create", "bench", "--name", "Bench");
      muster.command("device", "create", "--tenant", "bench", "--id", DEVICE, "--name", "Charted");
    });
    progress(`a year of telemetry, ${engine}`);
    // The embedded database is opened by one process.
    await unlessEnded(fillYear(dataDir.path, databaseUrl));
    await onMuster(dataDir.path, databaseUrl, async (muster) => {
      progress(`charts of the admin app, ${engine}`);
      const cookie = await (await createAdministrator(muster, "bench")).newSession();
      add(await unlessEnded(chartsInBrowser(browser, muster, { cookie, deviceId: DEVICE, engine })));
    });
  } finally {
    dataDir.remove();
  }
}

async function onMuster(
  dataDir: string,
  databaseUrl: string | undefined,
  work: (muster: MusterProcess) => Promise<void>,
): Promise<void> {
  const muster = await startMuster(dataDir, databaseUrl);
  await work(muster).finally(muster.stop);
}

async function fillYear(dataDir: string, url: string | undefined): Promise<void> {
  const logger = createLogger("silent");
  const database = await openDatabase({ url, dataDir, logger });
  try {
    const { uid: deviceUid } = await database.db.selectFrom("devices").select("uid").executeTakeFirstOrThrow();
    const to = new Date(Math.floor(Date.now() / 60_000) * 60_000);
    const [from, seconds] = [365, DAYS_OF_SECONDS].map((days) => new Date(to.getTime() - days * DAY_MS)) as [
      Date,
      Date,
    ];
    const year = { deviceUid, from, to, retentionDays: RETENTION_DAYS };
    await makeDays(database, year);
    await storeHours(database, { ...year, to: seconds });
    await storeSeconds(database, { ...year, from: seconds });
    await telemetryUseCases.rollUp({ database, clock: systemClock, logger });
    await unlimited(database, sql`ANALYZE`);
  } finally {
    await database.close();
  }
}
