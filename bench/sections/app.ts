import type { Browser } from "playwright-core";
import { unlessEnded } from "../interrupt.ts";
import { createAdministrator } from "../load/administrator.ts";
import { startBrowser } from "../load/browser.ts";
import { enrollDevices } from "../load/devices.ts";
import { createTenant } from "../load/tenant.ts";
import { meterOf } from "../measure.ts";
import { type MusterProcess, newDataDir, startMuster } from "../peers/muster.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Figure } from "../report.ts";
import { appLive } from "../rows/app-live.ts";
import { appLoad } from "../rows/app-load.ts";
import { appStreams, STREAMED_DEVICES } from "../rows/app-streams.ts";
import { add, available, progress, setting, wants } from "../run.ts";

/** More than a page of the list. */
const LISTED_DEVICES = 60;

/** The admin app in Chromium, on the embedded database. */
export async function appInBrowser(): Promise<void> {
  const browser = await available("no admin app", startBrowser);
  if (browser === undefined) return;
  const dataDir = newDataDir();
  const muster = await startMuster(dataDir.path);
  try {
    add(await unlessEnded(browserRows(browser, muster)));
  } finally {
    await browser.close();
    await muster.stop();
    dataDir.remove();
  }
}

async function browserRows(browser: Browser, muster: MusterProcess): Promise<Figure[]> {
  progress(`${LISTED_DEVICES} devices enroll for the admin app`);
  const identities = await enrollDevices(muster, createTenant(muster), LISTED_DEVICES);
  const administrator = await createAdministrator(muster, "bench");
  const cookie = await administrator.newSession();
  const figures: Figure[] = [];
  if (wants("app-load")) {
    progress("the app's list of devices");
    figures.push(...(await appLoad(browser, muster, cookie)));
  }
  if (wants("app-live")) {
    const minutes = setting("minutes", 1);
    progress(`a device's page at a thousand values a second, ${minutes} minutes a screen`);
    figures.push(...(await appLive(browser, muster, { cookie, identity: identities[0]!, minutes })));
  }
  return figures;
}

/** Event streams beside ingest, on PostgreSQL. */
export async function appBesideIngest(): Promise<void> {
  const postgres = await available("no event streams beside ingest", startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  const unlimited = { MUSTER_MQTT_MESSAGES_PER_SECOND: "0" };
  const muster = await startMuster(dataDir.path, await postgres.createDatabase("streams"), unlimited);
  try {
    progress(`${STREAMED_DEVICES} devices enroll`);
    const identities = await unlessEnded(enrollDevices(muster, createTenant(muster), STREAMED_DEVICES));
    const administrator = await createAdministrator(muster, "bench");
    progress("messages beside event streams");
    const meter = meterOf(muster.pid, postgres.cpuMs);
    add(await unlessEnded(appStreams(muster, meter, { identities, administrator })));
  } finally {
    await muster.stop();
    await postgres.stop();
    dataDir.remove();
  }
}
