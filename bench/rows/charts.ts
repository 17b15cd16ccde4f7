import { sql } from "kysely";
import type { Browser, Page } from "playwright-core";
import { createAdministrator } from "../../load/administrator.ts";
import { percentile, until } from "../../load/measure.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { openDatabase } from "../../server/src/db/database.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import { telemetryUseCases } from "../../server/src/telemetry/telemetry.ts";
import { openWindow, startBrowser } from "../fixtures/browser.ts";
import { makeDays, storeHours, storeSeconds, unlimited } from "../fixtures/telemetry-history.ts";
import { atMost, type Figure, figure } from "../report.ts";
import { row } from "../run.ts";
import { type Engine, onSite, type Site } from "../site.ts";

const ROUNDS = 25;
const DAY_MS = 86_400_000;
const DEVICE = "pump-1";
/** Stored for a year: no chart has more partitions to choose from. */
const RETENTION_DAYS = 365;
/** Before these days there are hours only. */
const DAYS_OF_SECONDS = 30;

/**
 * Measures from a click to the chart. `window.expected` is the text below the chart once it is shown: the text changes
 * in the commit that gives the canvas its points, so the canvas draws the chart next.
 */
const SCRIPT = `
window.expected = undefined;
let drawing = false;
addEventListener("click", () => { window.clickedAt = performance.now(); window.shownMs = undefined; }, true);
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...area) {
  if (drawing) {
    drawing = false;
    requestAnimationFrame(() => setTimeout(() => { window.shownMs = performance.now() - window.clickedAt; }));
  }
  return clear.apply(this, area);
};
addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
  if (window.expected === undefined || !document.querySelector("main")?.textContent.includes(window.expected)) return;
  window.expected = undefined;
  drawing = true;
}).observe(document.body, { childList: true, characterData: true, subtree: true }));`;

const DAY = { label: "24 h", shows: "each covers 5 min" };
const MONTH = { label: "30 d", shows: "each covers 2 h", name: "a chart of 30 days of seconds", most: 250 };
const YEAR = { label: "1 y", shows: "each covers 24 h", name: "a chart of a year", most: 1000 };

/** Charts of the admin app in Chromium, on both databases. */
export async function charts(): Promise<void> {
  await row("charts-pglite", () => chartsOn("PGlite"));
  await row("charts-postgresql", () => chartsOn("PostgreSQL"));
}

async function chartsOn(engine: Engine): Promise<Figure[]> {
  const browser = await startBrowser();
  const work = onSite(engine, async (site) => {
    await site.serve(async ({ shell }) => {
      await shell("tenant.create", { slug: "bench", name: "Bench" });
      await shell("device.create", { tenant: "bench", id: DEVICE, name: "Charted" });
    });
    // Only one process can open the embedded database.
    await fillYear(site);
    return await site.serve(async (muster) => {
      const cookie = await (await createAdministrator(muster, "bench")).newSession();
      return await inBrowser(browser, muster, cookie, engine);
    });
  });
  return await work.finally(() => browser.close());
}

async function fillYear({ url, dataDir }: Site): Promise<void> {
  const logger = createLogger("silent");
  const database = await openDatabase({ url, dataDir, logger });
  try {
    const { uid: deviceUid } = await database.db.selectFrom("devices").select("uid").executeTakeFirstOrThrow();
    const to = new Date(Math.floor(Date.now() / 60_000) * 60_000);
    const ago = (days: number) => new Date(to.getTime() - days * DAY_MS);
    const year = { deviceUid, from: ago(365), to, retentionDays: RETENTION_DAYS };
    await makeDays(database, year);
    await storeHours(database, { ...year, to: ago(DAYS_OF_SECONDS) });
    await storeSeconds(database, { ...year, from: ago(DAYS_OF_SECONDS) });
    await telemetryUseCases.rollUp({ database, clock: systemClock, logger });
    await unlimited(database, sql`ANALYZE`);
  } finally {
    await database.close();
  }
}

/** Times from the click on a range to the chart, each after another range. Nothing is cached: a range ends now. */
async function inBrowser(browser: Browser, muster: MusterProcess, cookie: string, engine: Engine): Promise<Figure[]> {
  const page = await openWindow(browser, muster, { cookie, script: SCRIPT });
  await page.goto(`/devices/${DEVICE}?tab=telemetry&metric=temperature`);
  await page.locator("canvas").waitFor();
  const samples = new Map<typeof MONTH, number[]>([
    [MONTH, []],
    [YEAR, []],
  ]);
  await shownMs(page, MONTH);
  for (let round = 0; round < ROUNDS; round++)
    for (const [choice, taken] of samples) {
      await shownMs(page, DAY);
      taken.push(await shownMs(page, choice));
    }
  await page.context().close();
  return [...samples].flatMap(([{ name, most }, taken]) => [
    figure(`${name}, ${engine}, p50`, percentile(taken, 0.5), "ms"),
    figure(`${name}, ${engine}, p95`, percentile(taken, 0.95), "ms", atMost(most)),
  ]);
}

async function shownMs(page: Page, { label, shows }: typeof DAY): Promise<number> {
  await page.evaluate(`window.expected = ${JSON.stringify(shows)}`);
  await page.getByLabel("Range", { exact: true }).getByText(label, { exact: true }).click();
  return await until(`the chart of ${label}`, 30, () => page.evaluate<number | undefined>("window.shownMs"));
}
