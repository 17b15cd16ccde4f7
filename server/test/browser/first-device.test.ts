import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { onPostgres } from "../harness/database/database.ts";
import { eventually } from "../harness/eventually.ts";
import { browserTest, openPage } from "../harness/http/browser.ts";

/** Follows docs/quickstarts/first-device.md: runs its commands unchanged, and finds its words in bold on the screen. */
const ROOT = join(import.meta.dirname, "../../..");
const PAGE = readFileSync(join(ROOT, "docs/quickstarts/first-device.md"), "utf8");
const MUSTER = join(ROOT, "server/bin/muster.mjs");
const AGENT = join(ROOT, "agent/bin/muster-agent.mjs");
/** A replacement for npm's `npx`, which would take a second per call. */
const NPX = `npx() { [ "$1" = muster-agent ]; shift; '${process.execPath}' '${AGENT}' "$@"; }`;

/** Creates the folder of the clone, as far as the page uses it. */
let folder: string;
let service: ChildProcess;
let printed = "";
let publishing: ChildProcess | undefined;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-first-device-"));
});
after(async () => {
  if (publishing) {
    const ended = once(publishing, "exit");
    process.kill(-publishing.pid!, "SIGINT");
    await ended;
  }
  if (service) {
    const ended = once(service, "exit");
    // Sends Ctrl-C as the reader's terminal does.
    service.stdin!.write("\x03");
    assert.equal((await ended)[0], 0);
  }
  rmSync(folder, { recursive: true });
});

/**
 * Starts what `npm start` runs, in a terminal.
 * @returns the link that it prints
 */
async function startService(): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.equal(scripts.start, "exec muster serve");
  const command = `exec '${process.execPath}' '${MUSTER}' serve`;
  service = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    env: { ...process.env, MUSTER_HTTP_PORT: "0", MUSTER_MQTT_PORT: "0", MUSTER_METRICS_PORT: "0" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  service.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk.replaceAll("\r", "");
  });
  while (!printed.includes("ca.pem\n\n")) await once(service.stdout!, "data");
  return /Set it up {3}(\S+)/.exec(printed)![1]!;
}

/**
 * Runs commands in a shell like the reader's.
 * @throws Error with their output if they fail
 */
async function run(commands: string): Promise<void> {
  await promisify(execFile)("bash", ["-euc", `${NPX}\n${commands}`], { cwd: folder });
}

/** Starts commands that Ctrl-C ends. The signal reaches the whole process group. */
function start(commands: string): ChildProcess {
  return spawn("bash", ["-euc", `${NPX}\n${commands}`], { cwd: folder, stdio: "ignore", detached: true });
}

/** Returns the commands of the page, by the word after `sh`. */
function commandsOf(kind: string): string {
  const [, commands] = new RegExp(`\`\`\`sh${kind && ` ${kind}`}\n([\\s\\S]*?)\`\`\``).exec(PAGE)!;
  return commands!;
}

/** Returns the service's output on a terminal, as the page shows it. */
function masked(text: string): string {
  return text
    .replaceAll(/localhost:\d+/g, "localhost:8443")
    .replaceAll(/setup#\S+/g, "setup#…")
    .replaceAll(/until \d\d:\d\d/g, "until 14:05")
    .replaceAll(/^ {2}\S*data\/tls/gm, "  data/tls");
}

/** Asserts that the page contains a word in bold. */
const used = new Set<string>();
function bold(words: string): string {
  assert.ok(PAGE.replaceAll("\n", " ").includes(`**${words}**`), `${words} is not in bold`);
  used.add(words);
  return words;
}

async function setUp(page: Page): Promise<void> {
  await page.getByLabel(bold("Organization")).fill("Acme waterworks");
  await page.getByLabel(bold("Your e-mail address")).fill("you@acme.example");
  await page.getByRole("textbox", { name: bold("Password"), exact: true }).fill("a long enough phrase 7");
  await page.getByRole("textbox", { name: bold("Repeat the password") }).fill("a long enough phrase 7");
  await page.getByRole("button", { name: bold("Set up") }).click();
  await page.getByText(bold("First steps")).waitFor();
}

async function connect(page: Page): Promise<void> {
  await page
    .getByRole("link", { name: bold("Connect a device") })
    .first()
    .click();
  await page.getByLabel(bold("Name"), { exact: true }).fill("Feed pump 1");
  await page.getByRole("button", { name: bold("Continue") }).click();
  await page.getByText(bold("Shell"), { exact: true }).waitFor();
  await page.getByText(bold("Muster agent"), { exact: true }).click();
  await page.getByRole("button", { name: bold("Copy") }).click();
  // The clipboard receives the text some time after the click.
  const copied = await eventually(() => page.evaluate<string>("navigator.clipboard.readText()"));
  await run(copied!);
  await page.getByText(bold("It is connected")).waitFor();
  await page.getByText(bold("Latest reading")).waitFor();
  await page.getByText("21.5").waitFor();
}

// The service always uses the embedded database.
if (!onPostgres)
  browserTest("a first device is connected from the set-up link to the chart as the quickstart shows", async () => {
    assert.equal(commandsOf("service"), "npm ci\nnpm start\n");
    const link = await startService();
    const shown = /```text\n([\s\S]*?)```/.exec(PAGE)![1]!;
    assert.ok(masked(printed).includes(shown), printed);

    const window = await openPage({ httpUrl: new URL(link).origin });
    const { page, context } = window;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(link);
    await setUp(page);
    await connect(page);
    await page.getByRole("link", { name: bold("Watch its telemetry") }).click();
    publishing = start(commandsOf(""));
    await page.getByRole("img", { name: /temperature.*Latest: temperature 2[0-4]$/ }).waitFor();
    await page.getByRole("link", { name: bold("Refused"), exact: true }).waitFor();
    await page.getByRole("link", { name: bold("Refused clients") }).waitFor();
    await page.getByRole("link", { name: bold("Claims") }).waitFor();
    const words = [...PAGE.matchAll(/\*\*([^*]+)\*\*/g)].map(([, words]) => words);
    assert.deepEqual(
      words.filter((each) => !used.has(each!)),
      [],
      "on the page, and not on the screen",
    );
    assert.deepEqual(window.problems, []);
    await context.close();
  });
