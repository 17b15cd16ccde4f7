import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM_ARGUMENTS, chromiumPath } from "../../tools/chromium.ts";
import type { MusterProcess } from "../peers/muster.ts";
import { Skip } from "../report.ts";

const APP = join(import.meta.dirname, "../../admin/dist/index.html");

/** Throws {@link Skip} where there is no Chromium, or no app. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Skip("Chromium is not installed");
  if (!existsSync(APP)) throw new Skip("the admin app is not built");
  return await chromium.launch({ executablePath, args: [...CHROMIUM_ARGUMENTS, "--enable-precise-memory-info"] });
}

/** A window in a profile of its own, with nothing cached, and with this session. `script` runs in it before the page's own. */
export async function openWindow(
  browser: Browser,
  { https }: MusterProcess,
  { cookie, script }: { cookie: string; script: string },
): Promise<Page> {
  const baseURL = `https://localhost:${https.port}`;
  const context = await browser.newContext({
    baseURL,
    viewport: { width: 1280, height: 800 },
  });
  const at = cookie.indexOf("=");
  const [name, value] = [cookie.slice(0, at), cookie.slice(at + 1)];
  await context.addCookies([{ name, value, url: baseURL, secure: true, httpOnly: true }]);
  const page = await context.newPage();
  await page.addInitScript(script);
  return page;
}
