import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
import { browserTest, openPage, signInByHand } from "../harness/http/browser.ts";

const MUSTER = join(import.meta.dirname, "../../bin/muster.mjs");

let folder: string;
let demo: ChildProcess | undefined;
let printed = "";

before(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-demo-test-"));
});
after(() => {
  demo?.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** The program that `npm run demo` runs. */
function startDemo(): ChildProcess {
  const child = spawn(process.execPath, [MUSTER, "demo"], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  return child;
}

/**
 * Waits until the demo has printed the pattern.
 * @returns its groups
 */
async function untilPrinted(pattern: RegExp): Promise<string[]> {
  for (;;) {
    const found = pattern.exec(printed);
    if (found) return found.slice(1);
    assert.equal(demo!.exitCode, null, printed);
    await Promise.race([once(demo!.stdout!, "data"), once(demo!, "exit")]);
  }
}

// The demo always uses the embedded database.
if (!onPostgres)
  browserTest("the demo is watched in the app while it runs, after a sign-in with the printed password", async () => {
    demo = startDemo();
    const [url, email, password] = await untilPrinted(
      /watch the demo at (\S+), signed in as (\S+) with the password (\S+)/,
    );
    const window = await openPage({ httpUrl: url! });
    const { page, context, problems } = window;
    await page.goto("/devices");
    await signInByHand(window, { email: email!, password: password! });
    const devices = page.getByRole("table", { name: "Devices" });
    await devices.getByText("Sludge pump").waitFor();
    await devices.getByText("Online").first().waitFor();
    const [again] = await untilPrinted(/^ {2}password +(\S+)$/m);
    assert.equal(again, password);
    assert.deepEqual(problems, []);
    await context.close();

    const ended = once(demo, "exit");
    demo.kill("SIGINT");
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(readdirSync(folder), []);
  });
