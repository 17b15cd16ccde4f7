/**
 * `npm run screenshots`: starts the demo, plays its story and photographs the admin app in Chromium into `docs/images`.
 * Times and device ids differ between runs, but the pictures show the same.
 */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { foreignEnvironment } from "../../server/src/config/config.ts";
import { openDemo, runSteps } from "../../server/src/demo/demo.ts";
import { ADMIN, type DemoState } from "../../server/src/demo/demo-state.ts";
import { VIBRATION_LIMIT } from "../../server/src/demo/monitoring-steps.ts";
import { failingPump, publish, wearDown } from "../../server/src/demo/simulated-pump.ts";
import { CHROMIUM_ARGUMENTS, chromiumPath } from "../chromium.ts";
import { publishHistory } from "./history.ts";
import { MOST_BYTES, PICTURES, type Picture } from "./pictures.ts";
import { addressOf, choosePassword, signIn, type User } from "./sign-in.ts";
import { STORY } from "./story.ts";

const FOLDER = join(import.meta.dirname, "../../docs/images");
/** The pump that wears out again after the story. */
const MOST_READINGS = 50;
/** Half of the noise: the same readings in every run. */
const STEADY = () => 0.5;

const executablePath = chromiumPath();
if (!executablePath) throw new Error("there is no Chromium on the PATH (Debian: apt-get install chromium)");

const demo = await openDemo(foreignEnvironment(), { showMessage: () => undefined });
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
try {
  const { state } = demo;
  const begun = Date.now();
  await runSteps(state, console.log);
  for (const pump of state.pumps) await publishHistory(pump, { now: begun, wears: pump === failingPump(state.pumps) });
  await wearOut(state);
  mkdirSync(FOLDER, { recursive: true });
  const users = {
    admin: { email: ADMIN, password: state.adminPassword },
    operator: await choosePassword(browser, state),
  };
  for (const picture of [...PICTURES, ...STORY]) await take(picture, browser, state, users[picture.as ?? "admin"]);
} finally {
  await browser.close();
  await demo.close();
}

/** Publishes until an anomaly opens. */
async function wearOut({ pumps }: DemoState): Promise<void> {
  const pump = failingPump(pumps);
  for (let count = 0; count < MOST_READINGS && pump.reading.vibration <= VIBRATION_LIMIT; count++) {
    wearDown(pump, 1);
    await publish(pump, STEADY);
  }
}

async function take(picture: Picture, browser: Browser, state: DemoState, user: User): Promise<void> {
  const { name, width, height, scheme } = picture;
  const context = await browser.newContext({
    ...addressOf(state),
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  await signIn(page, user);
  await picture.open(page, state);
  await page.waitForLoadState("load");
  for (const place of await page.getByRole("status", { name: "Loading" }).all()) {
    await place.waitFor({ state: "detached" });
  }
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path, animations: "disabled", caret: "hide" });
  await context.close();
  const { size } = statSync(path);
  console.log(`${path}: ${(size / 1000).toFixed(0)} kB`);
  if (size > MOST_BYTES) throw new Error(`${name} has ${size} bytes, more than ${MOST_BYTES}`);
}
