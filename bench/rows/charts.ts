import type { Browser, Page } from "playwright-core";
import { openWindow } from "../load/browser.ts";
import { percentile, until } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";

const ROUNDS = 25;

/**
 * The range that is chosen, and what the text below the chart says when it is shown. The text changes in the commit that gives the canvas its
 * points, so what the canvas draws next is the chart.
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

interface Choice {
  label: string;
  shows: string;
}

const DAY: Choice = { label: "24 h", shows: "each covers 5 min" };
const MONTH = { label: "30 d", shows: "each covers 2 h", name: "a chart of 30 days of seconds", atMost: 250 };
const YEAR = { label: "1 y", shows: "each covers 24 h", name: "a chart of a year", atMost: 1000 };

interface Charted {
  cookie: string;
  deviceId: string;
  /** The database's name in the report. */
  engine: string;
}

/** From the click on a range to the chart on the screen; before each another range is shown. Nothing of it is cached: a range ends now. */
export async function chartsInBrowser(browser: Browser, muster: MusterProcess, charted: Charted): Promise<Figure[]> {
  const page = await openWindow(browser, muster, { cookie: charted.cookie, script: SCRIPT });
  await page.goto(`/devices/${charted.deviceId}?tab=telemetry&metric=temperature`);
  await page.locator("canvas").waitFor();
  const samples = new Map<typeof MONTH, number[]>([
    [MONTH, []],
    [YEAR, []],
  ]);
  await shownMs(page, MONTH);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [choice, taken] of samples) {
      await shownMs(page, DAY);
      taken.push(await shownMs(page, choice));
    }
  }
  await page.context().close();
  return [...samples].flatMap(([{ name, atMost }, taken]) => [
    { name: `${name}, ${charted.engine}, p50`, value: percentile(taken, 0.5), unit: "ms" },
    {
      name: `${name}, ${charted.engine}, p95`,
      value: percentile(taken, 0.95),
      unit: "ms",
      target: { of: "value" as const, atMost },
    },
  ]);
}

async function shownMs(page: Page, { label, shows }: Choice): Promise<number> {
  await page.evaluate(`window.expected = ${JSON.stringify(shows)}`);
  await page.getByLabel("Range", { exact: true }).getByText(label, { exact: true }).click();
  return await until(`the chart of ${label}`, 30, () => page.evaluate<number | undefined>("window.shownMs"));
}
