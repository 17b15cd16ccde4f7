import type { Browser, CDPSession, Page } from "playwright-core";
import { sleep } from "../../load/measure.ts";
import { closeMqtt, type Identity, openMqtt } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { publish } from "../../load/publish-packet.ts";
import { openWindow } from "../fixtures/browser.ts";
import { atMost, beside, type Figure, figure, timesAtMost } from "../report.ts";

/** The most metrics of a device, in messages with the most values; each metric twice per second. */
const METRICS = 500;
const A_MESSAGE = 200;
const MESSAGES_A_SECOND = 5;
/** By then the page's code is compiled and its first readings have arrived. */
const WARM_UP_MS = 20_000;
const MOST_TASK_MS = 100;
const MOST_DRAWS_A_SECOND = 4;
const MOST_GROWTH = 1.1;

/** Counts long tasks and drawings: of canvases, and changes of the table. */
const SCRIPT = `
window.tasks = [];
window.draws = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.tasks.push(duration);
}).observe({ type: "longtask" });
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...area) {
  window.draws++;
  return clear.apply(this, area);
};
addEventListener("load", () => {
  let changed = false;
  new MutationObserver((changes) => {
    if (changed || !changes.some(({ target }) => target.parentElement?.closest("tbody"))) return;
    changed = true;
    requestAnimationFrame(() => { changed = false; window.draws++; });
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
});`;

interface Seen {
  longestTaskMs: number;
  drawsASecond: number;
  heapBefore: number;
  heapAfter: number;
}

const SCREENS = [
  ["chart", "?tab=telemetry", "canvas"],
  ["table of 500 metrics", "", "table[aria-label='Latest values'] tbody tr"],
] as const;

/** Measures a device's page while the device publishes a thousand values per second. */
export async function appLive(
  browser: Browser,
  muster: MusterProcess,
  { cookie, identity, minutes }: { cookie: string; identity: Identity; minutes: number },
): Promise<Figure[]> {
  const stop = await publishValues(muster, identity);
  try {
    const figures: Figure[] = [];
    for (const [name, query, selector] of SCREENS) {
      const page = await openWindow(browser, muster, { cookie, script: SCRIPT });
      await page.goto(`/devices/${identity.deviceId}${query}`);
      await page.locator(selector).first().waitFor();
      figures.push(...figuresOf(name, await watch(page, minutes * 60)));
      await page.context().close();
    }
    return figures;
  } finally {
    await stop();
  }
}

function figuresOf(name: string, { longestTaskMs, drawsASecond, heapBefore, heapAfter }: Seen): Figure[] {
  const at = `${name}, 1,000 values/s`;
  const before = beside("at the beginning", heapBefore / 1e6);
  return [
    figure(`longest task of the ${at}`, longestTaskMs, "ms", atMost(MOST_TASK_MS)),
    figure(`drawn a second, ${at}`, drawsASecond, "/s", atMost(MOST_DRAWS_A_SECOND)),
    figure(`heap at the end, ${at}`, heapAfter / 1e6, "MB", before, timesAtMost(MOST_GROWTH)),
  ];
}

async function watch(page: Page, seconds: number): Promise<Seen> {
  const devtools = await page.context().newCDPSession(page);
  await sleep(WARM_UP_MS);
  const heapBefore = await heapBytes(devtools);
  await page.evaluate("tasks.length = 0; draws = 0;");
  await sleep(seconds * 1000);
  const [longestTaskMs, draws] = (await page.evaluate("[Math.max(0, ...tasks), draws]")) as [number, number];
  return { longestTaskMs, drawsASecond: draws / seconds, heapBefore, heapAfter: await heapBytes(devtools) };
}

/** Returns the bytes in use after a collection. */
async function heapBytes(devtools: CDPSession): Promise<number> {
  await devtools.send("HeapProfiler.collectGarbage");
  return (await devtools.send("Runtime.getHeapUsage")).usedSize;
}

/** Returns a function that stops it. */
async function publishValues(muster: MusterProcess, identity: Identity): Promise<() => Promise<void>> {
  const socket = await openMqtt(muster.mqtt, identity);
  socket.resume();
  let sent = 0;
  const timer = setInterval(() => {
    const entries = Array.from({ length: A_MESSAGE }, (_, index) => {
      const metric = (sent * A_MESSAGE + index) % METRICS;
      return [`metric-${String(metric).padStart(3, "0")}`, Math.sin(sent / 50 + metric) * 10];
    });
    const payload = JSON.stringify({ ts: Date.now(), values: Object.fromEntries(entries) });
    socket.write(publish(identity.topic, payload, sent++));
  }, 1000 / MESSAGES_A_SECOND);
  return async () => {
    clearInterval(timer);
    await closeMqtt(socket);
  };
}
