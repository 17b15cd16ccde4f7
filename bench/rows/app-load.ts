import type { Browser } from "playwright-core";
import { createAdministrator } from "../../load/administrator.ts";
import { percentile, until } from "../../load/measure.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { createTenant } from "../../load/tenant.ts";
import { openWindow, startBrowser } from "../fixtures/browser.ts";
import { atMost, beside, type Figure, figure } from "../report.ts";
import { group, row, setting } from "../run.ts";
import { onEmbedded } from "../site.ts";
import { appLive } from "./app-live.ts";

const ROUNDS = 20;
const MOST_MS = 1000;

/** Records when the frame with the element was drawn, in milliseconds since the navigation began. */
const shownScript = (selector: string) => `new MutationObserver((_, observer) => {
  if (!document.querySelector(${JSON.stringify(selector)})) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.shownAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true });`;

const LIST = { path: "/devices", selector: "table[aria-label=Devices] tbody tr a" };
/** A page of the server that needs no script. */
const REFERENCE = { path: "/docs/api", selector: "main h1" };

/** More devices than a page of the list shows. */
const LISTED_DEVICES = 60;

/** The admin app in Chromium, on the embedded database. */
export async function appInBrowser(): Promise<void> {
  await group(["app-load", "app-live"], async () => {
    const browser = await startBrowser();
    const work = onEmbedded(({ serve }) =>
      serve(async (muster) => {
        const identities = await (await createTenant(muster, "bench")).newDevices(LISTED_DEVICES);
        const cookie = await (await createAdministrator(muster, "bench")).newSession();
        const minutes = setting("minutes", 1);
        await row("app-load", () => appLoad(browser, muster, cookie));
        await row("app-live", () => appLive(browser, muster, { cookie, identity: identities[0]!, minutes }));
      }),
    );
    await work.finally(() => browser.close());
  });
}

/** Times from the navigation to the list of devices with nothing cached, beside a page without scripts. In turns. */
async function appLoad(browser: Browser, muster: MusterProcess, cookie: string): Promise<Figure[]> {
  const [list, reference]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    list.push(await shownMs(browser, muster, cookie, LIST));
    reference.push(await shownMs(browser, muster, cookie, REFERENCE));
  }
  const shown = (share: number, target: ReturnType<typeof atMost>) => {
    const name = `the app's list of devices on the screen, p${share * 100}`;
    return figure(
      name,
      percentile(list, share),
      "ms",
      beside("the API reference", percentile(reference, share)),
      target,
    );
  };
  return [shown(0.5, {}), shown(0.95, atMost(MOST_MS))];
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
