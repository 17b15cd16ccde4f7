import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { CHROMIUM_ARGUMENTS, chromiumPath } from "../../../../tools/chromium.ts";
import type { TestServer } from "../server.ts";
import { axeFindings } from "./axe.ts";

/** The build that `npm ci` has made. */
export const APP = join(import.meta.dirname, "../../../../admin/dist/index.html");

let browser: Promise<Browser> | undefined;

function startBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: chromiumPath()!, args: CHROMIUM_ARGUMENTS });
  return browser;
}

async function closeBrowser(): Promise<void> {
  const open = browser;
  browser = undefined;
  await (await open)?.close();
}

/** Declares a test in Chromium. The test is skipped if Chromium or the built app is missing. */
export function browserTest(name: string, run: (t: TestContext) => Promise<void>): void {
  const skip = missing();
  if (skip === undefined) {
    // Chromium starts outside the tests. Files that share this process have a browser each.
    before(async () => void (await startBrowser()));
    after(closeBrowser);
  }
  test(name, { skip: skip ?? false }, run);
}

/** Returns why no test can run in a browser. */
function missing(): string | undefined {
  if (!chromiumPath()) return "there is no Chromium on the PATH (Debian: apt-get install chromium)";
  return existsSync(APP) ? undefined : "the admin app is not built (npm run build)";
}

/** A page in its own profile, and everything unwanted that happened in it. */
export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Console messages, page errors and requests to other hosts. */
  problems: string[];
}

/**
 * Opens a browser window at the service. `refused` lists addresses that the test expects to be refused: the console
 * reports every status of 400 and above. `elsewhere` matches addresses of others that the journey leads to.
 */
export async function openPage(
  server: Pick<TestServer, "httpUrl">,
  options: BrowserContextOptions & { refused?: RegExp; elsewhere?: RegExp } = {},
): Promise<Watched> {
  const { refused, elsewhere, ...rest } = options;
  const context = await (await startBrowser()).newContext({
    baseURL: server.httpUrl,
    ...rest,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => void problems.push(`fault: ${message}`));
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type()) || elsewhere?.test(message.location().url)) return;
    if (message.text().startsWith("Failed to load resource") && isExpected(message.location().url, refused)) return;
    problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    const isOurs = origin === server.httpUrl || protocol === "blob:";
    if (!isOurs && !elsewhere?.test(request.url())) problems.push(`request to ${request.url()}`);
  });
  return { page, context, problems };
}

/** The app asks for its session, and there may be none. */
function isExpected(url: string, refused: RegExp | undefined): boolean {
  return url.endsWith("/api/admin/session") || refused?.test(new URL(url).pathname) === true;
}

/** Signs in on the sign-in page. */
export async function signInByHand(
  { page }: Watched,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Puts a session that was started elsewhere into the browser. */
export async function useSession(
  { context }: Watched,
  server: Pick<TestServer, "httpUrl">,
  cookie: string,
): Promise<void> {
  const cookies = cookie.split("; ").map((each) => {
    const at = each.indexOf("=");
    return { name: each.slice(0, at), value: each.slice(at + 1), url: server.httpUrl, secure: true, httpOnly: true };
  });
  await context.addCookies(cookies);
}

/** Resolves when colours and dialogs have their final look. Endless animations are not awaited. */
const AT_REST = `Promise.allSettled(document.getAnimations()
  .filter(({ effect, playState }) => playState === "running" && Number.isFinite(effect.getComputedTiming().endTime))
  .map(({ finished }) => finished)).then(() => undefined)`;

/** The pixels by which the page is wider than the window. */
const TOO_WIDE = "document.documentElement.scrollWidth - window.innerWidth";

/** The rules of axe that depend on colours. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** Asserts that the page is sound: it fits the window without an error, and axe finds nothing. */
export async function assertSound(window: Watched, where: string, rules?: readonly string[]): Promise<void> {
  await assertFits(window, where);
  assert.deepEqual(await axeFindings(window.page, rules), [], `${where}: axe`);
}

/**
 * Asserts that the page had no error so far, and does not scroll horizontally. If `MUSTER_SCREENSHOTS` names a folder,
 * it also saves a picture there.
 */
export async function assertFits({ page, problems }: Watched, where: string): Promise<void> {
  const folder = process.env.MUSTER_SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${where.replaceAll(/[^\w]+/g, "-")}.png`), fullPage: true });
  await page.evaluate(AT_REST);
  // A chart takes the width of its place some frames later.
  await page.waitForFunction(`${TOO_WIDE} <= 0`, undefined, { timeout: 2_000 }).catch(() => undefined);
  const wide = Number(await page.evaluate(TOO_WIDE));
  assert.ok(wide <= 0, `${where}: ${wide} pixels wider than the window`);
  assert.deepEqual(problems, [], where);
}

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** A desktop and a phone, for screens that are opened in both. */
export const VIEWS = [
  { colorScheme: "light", viewport: DESKTOP },
  { colorScheme: "dark", viewport: PHONE },
] as const;

/**
 * Runs {@link assertSound} in both colour schemes and both widths, without reloading the page. The dark scheme changes
 * only colours.
 */
export async function assertSoundInAllViews(window: Watched, where: string): Promise<void> {
  const { page } = window;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      const rules = colorScheme === "dark" ? OF_COLOURS : undefined;
      await assertSound(window, `${where} ${colorScheme} ${viewport.width}`, rules);
    }
  }
}
