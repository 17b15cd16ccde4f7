import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { CHROMIUM_ARGUMENTS, chromiumPath } from "../../../tools/chromium.ts";
import { axeFindings } from "./axe.ts";
import type { TestServer } from "./server.ts";

/** What `npm ci` has built. */
export const APP = join(import.meta.dirname, "../../../admin/dist/index.html");

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

/** A test in Chromium; skipped where there is none, or no app. */
export function browserTest(name: string, run: (t: TestContext) => Promise<void>): void {
  const skip = missing();
  if (skip === undefined) {
    // The start of Chromium is no part of a test. Files may share this process: each has a browser of its own.
    before(async () => void (await startBrowser()));
    after(closeBrowser);
  }
  test(name, { skip: skip ?? false }, run);
}

/** Why no test can run in a browser. */
function missing(): string | undefined {
  if (!chromiumPath()) return "there is no Chromium on the PATH (Debian: apt-get install chromium)";
  return existsSync(APP) ? undefined : "the admin app is not built (npm run build)";
}

/** A page in a profile of its own, and everything that should not have happened in it. */
export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Messages of the console, faults and requests to other hosts. */
  problems: string[];
}

/**
 * A browser window at the service. `refused` names addresses whose refusal is part of the test: the console reports every answer of 400 and
 * above.
 */
export async function openPage(
  server: Pick<TestServer, "httpUrl">,
  options: BrowserContextOptions & { refused?: RegExp } = {},
): Promise<Watched> {
  const { refused, ...rest } = options;
  const context = await (await startBrowser()).newContext({
    baseURL: server.httpUrl,
    ...rest,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => void problems.push(`fault: ${message}`));
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    if (message.text().startsWith("Failed to load resource") && isExpected(message.location().url, refused)) return;
    problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== server.httpUrl && protocol !== "blob:") problems.push(`request to ${request.url()}`);
  });
  return { page, context, problems };
}

/** The app asks whether there is a session, and there may be none. */
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
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Puts a session into the browser that was begun outside of it. */
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

/** Resolves when colours and dialogs have their final look; what turns for as long as it is shown is not waited for. */
const AT_REST = `Promise.allSettled(document.getAnimations()
  .filter(({ effect, playState }) => playState === "running" && Number.isFinite(effect.getComputedTiming().endTime))
  .map(({ finished }) => finished)).then(() => undefined)`;

/**
 * Nothing is wrong with the page as it is: no fault so far, axe finds nothing, nothing needs sideways scrolling. With a folder in
 * `MUSTER_SCREENSHOTS` it also saves a picture there.
 */
export async function assertSound({ page, problems }: Watched, where: string): Promise<void> {
  const folder = process.env.MUSTER_SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${where.replaceAll(/[^\w]+/g, "-")}.png`), fullPage: true });
  await page.evaluate(AT_REST);
  assert.deepEqual(await axeFindings(page), [], `${where}: axe`);
  const wide = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
  assert.ok(Number(wide) <= 0, `${where}: ${wide} pixels wider than the window`);
  assert.deepEqual(problems, [], where);
}

export const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** A desktop and a phone, for screens that are opened in both. */
export const VIEWS = [
  { colorScheme: "light", viewport: DESKTOP },
  { colorScheme: "dark", viewport: PHONE },
] as const;

/** {@link assertSound} in both schemes and both widths, between which the page changes without being loaded again. */
export async function assertSoundInAllViews(window: Watched, where: string): Promise<void> {
  const { page } = window;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      await assertSound(window, `${where} ${colorScheme} ${viewport.width}`);
    }
  }
}
