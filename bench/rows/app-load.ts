import type { Browser } from "playwright-core";
import { openWindow } from "../load/browser.ts";
import { percentile, until } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";

const ROUNDS = 20;
const MOST_MS = 1000;

/** Remembers when the element was there and the frame with it was drawn, in milliseconds since the navigation began. */
const shownScript = (selector: string) => `new MutationObserver((_, observer) => {
  if (!document.querySelector(${JSON.stringify(selector)})) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.shownAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true });`;

const LIST = { path: "/devices", selector: "table[aria-label=Devices] tbody tr a" };
/** Made by the server, without scripts. */
const REFERENCE = { path: "/docs/api", selector: "main h1" };

/** From the navigation to the list of devices on the screen, with nothing cached; beside a page that needs no script. In turns. */
export async function appLoad(browser: Browser, muster: MusterProcess, cookie: string): Promise<Figure[]> {
  const [list, reference]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    list.push(await shownMs(browser, muster, cookie, LIST));
    reference.push(await shownMs(browser, muster, cookie, REFERENCE));
  }
  const figure = (name: string, share: number): Figure => ({
    name,
    value: percentile(list, share),
    unit: "ms",
    peer: { name: "the API reference", value: percentile(reference, share) },
  });
  return [
    figure("the app's list of devices on the screen, p50", 0.5),
    { ...figure("the app's list of devices on the screen, p95", 0.95), target: { of: "value", atMost: MOST_MS } },
  ];
}

async function shownMs(
  browser: Browser,
  muster: MusterProcess,
  cookie: string,
  { path, selector }: typeof LIST,
): Promise<number> {
  const page = await openWindow(browser, muster, { cookie, script: shownScript(selector) });
  await page.goto(path);
  const ms = await until(path, 20, () => page.evaluate<number | undefined>("window.shownAt"));
  await page.context().close();
  return ms;
}
