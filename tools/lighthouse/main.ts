/**
 * `npm run lighthouse`: starts the demo and measures screens of the admin app with Lighthouse, as a phone with its
 * network would load them (simulated throttling). Three runs each; prints the median, and exits with 1 below the
 * goals. It needs Chromium, and npm to fetch Lighthouse. Other work on the machine lowers the scores.
 */
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { foreignEnvironment } from "../../server/src/config/config.ts";
import { openDemo, runSteps } from "../../server/src/demo/demo.ts";
import { ADMIN, type DemoState } from "../../server/src/demo/demo-state.ts";
import { CHROMIUM_ARGUMENTS, chromiumPath } from "../chromium.ts";
import { addressOf, signIn } from "../screenshots/sign-in.ts";
import { below, type Measured, measuredIn, median, row } from "./scores.ts";

/** It is fetched when it is needed: nothing else of the project uses its two hundred packages. */
const LIGHTHOUSE = "lighthouse@13.5.0";
const RUNS = 3;
const REPORT_BYTES = 64 * 1024 * 1024;

const run = promisify(execFile);
const executablePath = chromiumPath();
if (!executablePath) throw new Error("there is no Chromium on the PATH (Debian: apt-get install chromium)");

const demo = await openDemo(foreignEnvironment(), { showMessage: () => undefined });
try {
  const { state } = demo;
  await runSteps(state, () => undefined);
  const cookie = await sessionCookie(state);
  const device = state.pumps[0]!.identity.device.deviceId;
  const screens: [path: string, cookie?: string][] = [
    ["/sign-in"],
    ["/devices", cookie],
    [`/devices/${device}?tab=telemetry`, cookie],
    ["/anomalies", cookie],
  ];
  console.log("screen                      performance  accessibility  contentful paint  layout shift");
  for (const [path, cookie] of screens) {
    const results: Measured[] = [];
    for (let nth = 0; nth < RUNS; nth++)
      results.push(await measure(new URL(path, addressOf(state).baseURL).href, cookie));
    const result = median(results);
    console.log(row(path.replace(device, ":id"), result));
    for (const line of below(result)) console.log(`  BELOW ${line}`);
    if (below(result).length > 0) process.exitCode = 1;
  }
} finally {
  await demo.close();
}

async function sessionCookie(state: DemoState): Promise<string> {
  const browser: Browser = await chromium.launch({ executablePath: executablePath!, args: CHROMIUM_ARGUMENTS });
  try {
    const context = await browser.newContext(addressOf(state));
    const page = await context.newPage();
    await signIn(page, { email: ADMIN, password: state.adminPassword });
    return (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  } finally {
    await browser.close();
  }
}

async function measure(url: string, cookie: string | undefined): Promise<Measured> {
  const flags = [...CHROMIUM_ARGUMENTS, "--headless=new", "--ignore-certificate-errors"].join(" ");
  const headers = cookie === undefined ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`];
  const { stdout } = await run(
    "npx",
    ["--yes", LIGHTHOUSE, url, "--quiet", "--output=json", "--only-categories=performance,accessibility"].concat(
      [`--chrome-flags=${flags}`],
      headers,
    ),
    { env: { ...process.env, CHROME_PATH: executablePath }, maxBuffer: REPORT_BYTES, cwd: tmpdir() },
  );
  return measuredIn(JSON.parse(stdout));
}
