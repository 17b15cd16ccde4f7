import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { onPostgres } from "../harness/database/database.ts";
import { newKey, newTenant, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { readersShell, runInShell } from "./reader.ts";

/**
 * Runs the commands of the pages of docs/quickstarts unchanged and compares their output with the pages.
 * `MUSTER_TEST_UPDATE_DOCS=1` writes the real output into the pages instead.
 */
const PAGES = join(import.meta.dirname, "../../../docs/quickstarts");
const LAUNCHER = join(import.meta.dirname, "../../bin/muster.mjs");
const BLOCK = /```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g;
/** The Python of a virtual environment with Paho, which CONTRIBUTING.md creates. */
const PYTHON = join(import.meta.dirname, "../../../node_modules/.paho/bin/python");
const MARK = "—— next ——";

/** The page that starts a dozen processes runs on PostgreSQL, and whenever pages are updated. */
const WITH_MONITORING = onPostgres || process.env.MUSTER_TEST_UPDATE_DOCS !== undefined;

/** Creates the folder of the reader's shell: the folder of the project, as far as the pages use it. */
let folder: string;
let inbox: ChildProcess | undefined;
let hookUrl: string;
let server: TestServer;
let tenant: TestTenant;
let hours: Server;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-quickstart-"));
  for (const name of ["node_modules", "docs"])
    await symlink(join(import.meta.dirname, "../../..", name), join(folder, name));
  if (WITH_MONITORING) await makeReceiver();
  server = await startServer({ env: WITH_MONITORING ? await startInbox() : {} });
  await writeFile(join(folder, "https-ca.pem"), server.ca);
  tenant = await newTenant(server, "acme");
  hours = await keepTime();
});
after(async () => {
  hours.close();
  await server.stop();
  if (inbox?.exitCode === null) {
    const ended = once(inbox, "exit");
    inbox.kill();
    await ended;
  }
  await rm(folder, { recursive: true });
});

/**
 * Starts `muster inbox` as the quickstart does.
 * @returns the service's settings for it
 */
async function startInbox(): Promise<Record<string, string>> {
  const free = ["--mail-port", "0", "--webhook-port", "0"];
  inbox = spawn(process.execPath, [LAUNCHER, "inbox", ...free], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const said: string[] = [];
  for await (const line of createInterface({ input: inbox.stdout! })) if (said.push(line) === 3) break;
  const [mailUrl, webhookUrl] = said.map((line) => line.split(/ +/)[1]!);
  hookUrl = webhookUrl!;
  // The same effect as `NODE_EXTRA_CA_CERTS` at start.
  setDefaultCACertificates([...getCACertificates("default"), await readFile(join(folder, "inbox/cert.pem"), "utf8")]);
  return { MUSTER_SMTP_URL: mailUrl!, MUSTER_WEBHOOK_ALLOW_PRIVATE: "true" };
}

/** The certificate of the receiver that a page has its reader write. The service trusts it. */
async function makeReceiver(): Promise<void> {
  const text = await readFile(join(PAGES, "webhooks.md"), "utf8");
  const [commands] = /mkdir receiver[\s\S]*?cert\.pem\n/.exec(text)!;
  await runInShell([commands], folder);
  const cert = await readFile(join(folder, "receiver/cert.pem"), "utf8");
  setDefaultCACertificates([...getCACertificates("default"), cert]);
}

/** Returns a port that is free now. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, "127.0.0.1"), "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

/** Serves a clock: a request for `/65` advances it by 65 seconds, after all work that was due before. */
async function keepTime(): Promise<Server> {
  const passing = createServer(async ({ url }, response) => {
    await server.app.notifications.runDue();
    server.clock.advance(Number(url!.slice(1)) * 1000);
    await server.app.notifications.runDue();
    response.end();
  });
  await once(passing.listen(0, "127.0.0.1"), "listening");
  return passing;
}

/** Returns which programs of a page are missing, as a sentence. */
function without(...tools: string[]): string | false {
  const missing = tools.filter((tool) => spawnSync(tool, ["--help"]).error);
  return missing.length > 0 ? `${missing.join(" and ")} not installed` : false;
}

/**
 * Runs the blocks of pages one after the other in one shell, after `settings`, which their reader makes by hand, and
 * compares the output of each block.
 */
async function walk(pages: string | readonly string[], settings: string[]): Promise<void> {
  const texts = await Promise.all(
    [pages].flat().map(async (page) => [page, await readFile(join(PAGES, page), "utf8")] as const),
  );
  const blocks = texts.flatMap(([, text]) => {
    const own = [...text.matchAll(BLOCK)];
    assert.ok(own.length > 0);
    return own;
  });
  const given = [
    `HTTPS=${server.httpUrl}`,
    `HTTPS_CA=${folder}/https-ca.pem`,
    `MQTT="-h localhost -p ${server.mqttPort}"`,
    ...readersShell(server, folder),
    ...settings,
  ];
  const lines = [...given, ...blocks.map(([, commands]) => `${commands}echo '${MARK}'`)];
  const stdout = await runInShell(lines, folder);
  const plain = stdout
    .replaceAll("\r", "")
    .replaceAll(server.httpUrl, "https://localhost:8443")
    .replaceAll(`localhost:${server.mqttPort}`, "localhost:8883");
  const outputs = plain.split(new RegExp(`\n?${MARK}\n`));
  if (process.env.MUSTER_TEST_UPDATE_DOCS)
    for (const [page, text] of texts) await writeFile(join(PAGES, page), withOutputs(text, outputs));
  else
    for (const [index, [, , reported]] of blocks.entries())
      assert.equal(masked(outputs[index]!), masked(reported ?? ""));
}

// This is first because later the inbox also has mails about the other pages' device.
if (WITH_MONITORING) {
  const skip = without("curl", "jq");
  test("a reading becomes a page and a ticket as the quickstart shows", { skip }, async () => {
    const { port } = hours.address() as AddressInfo;
    await walk("monitoring.md", [
      `HOOK=${hookUrl}`,
      // The service's clock stands still unless the reader waits. One second passes between two readings.
      `sleep() { curl -sS http://127.0.0.1:${port}/$1; }`,
      'eval "call_$(declare -f npx)"',
      'npx() { if [ "$1 $2" = "muster-agent run" ]; then sleep 1; fi; call_npx "$@"; }',
    ]);
  });
}

if (WITH_MONITORING) {
  const skip = without("curl", "jq", "mosquitto_pub");
  test("a program alone gets from an empty tenant to a paged operator and a chart, as the guides show", {
    skip,
  }, async () => {
    const { port } = hours.address() as AddressInfo;
    await walk(["by-program.md", "grafana.md"], [`sleep() { curl -sS http://127.0.0.1:${port}/$1; }`]);
  });
}

if (WITH_MONITORING) {
  test("a receiver confirms its webhook and verifies its messages as the quickstart shows", {
    skip: without("openssl", "curl", "jq"),
  }, async () => {
    const { port } = hours.address() as AddressInfo;
    await walk("webhooks.md", [`HOOK_PORT=${await freePort()}`, `sleep() { curl -sS http://127.0.0.1:${port}/$1; }`]);
  });
}

test("the public API with curl works as the quickstart shows", {
  skip: without("curl", "jq", "openssl", "mosquitto_pub"),
}, async () => {
  await server.app.access.createUser(await server.app.access.systemCaller("acme"), {
    email: "you@acme.example",
    role: "admin",
  });
  await walk("api.md", [`TYPE=${tenant.deviceTypeId}`]);
});

let devicesSetUp = 0;

/** A device type that lists a topic for commands, and the start of a page about such a device. */
async function commandedDevice(name: string): Promise<string[]> {
  const { devices, enrollment } = server.app;
  const type = await devices.createDeviceType(tenant.caller, {
    name: `Type of ${name}`,
    publishTopics: ["telemetry/{deviceId}"],
    subscribeTopics: ["commands/{deviceId}"],
  });
  const wanted = { intendedName: name, intendedDeviceTypeId: type.id };
  const { claimCode } = await enrollment.createClaim(tenant.caller, wanted);
  return [
    `CLAIM=${claimCode} SERIAL=SN-${501 + devicesSetUp++}`,
    `CLONE=${folder} PYTHON=${PYTHON}`,
    `node() { '${process.execPath}' "$@"; }`,
  ];
}

for (const [page, preparation, tools] of [
  ["mosquitto.md", ["setup.md"], ["mosquitto_pub"]],
  ["mqtt-js.md", ["setup.md"], []],
  ["paho-python.md", ["setup.md"], [PYTHON]],
  ["agent.md", [], []],
] as const)
  test(`a device with MQTT 5 works as ${page} shows`, { skip: without("openssl", "curl", ...tools) }, async () => {
    await walk([...preparation, page], await commandedDevice(page));
  });

test("certificates are accepted and refused as by-hand.md shows", {
  skip: without("openssl", "curl", "mosquitto_pub"),
}, async () => {
  await walk(
    ["setup.md", "by-hand.md"],
    [
      ...(await commandedDevice("by-hand.md")),
      `KEY=${await newKey(server, tenant, "telemetry:read", "device-certificates:read", "device-certificates:revoke")}`,
    ],
  );
});

/** @param outputs of the remaining blocks; those of this page are removed */
function withOutputs(text: string, outputs: string[]): string {
  return text.replace(BLOCK, (_, commands: string) => {
    const output = outputs.shift()!;
    return `\`\`\`sh\n${commands}\`\`\`\n${output ? `\n\`\`\`text\n${output.trimEnd()}\n\`\`\`\n` : ""}`;
  });
}

/** Replaces values that differ between runs. */
function masked(output: string): string {
  return (
    output
      .trimEnd()
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
      .replace(/"requestId":"[^"]*"/g, '"requestId":"…"')
      .replace(/^x-request-id: .*$/gm, "x-request-id: …")
      .replace(/\b[0-9a-f]{64}\b/g, "<fingerprint>")
      .replace(/\b[0-9a-f]{32}\b/g, "<serial>")
      .replace(/\b[a-z2-7]{16}\b/g, "<device>")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replace(/\d{4}-\d\d-\d\d [\d:]{8}/g, "<local time>")
      .replace(/[A-Z][a-z]{2} +\d+ [\d:]{8} \d{4} GMT/g, "<date>")
      .replace(/\(\d+ days\)/g, "(<days>)")
      // The error depends on whether the client was still writing when the broker disconnected.
      .replace(
        /Error: (The connection was lost\.\nexit 7|(Broken pipe|Connection reset by peer)\nexit 14)/g,
        "Error: <hung up on>",
      )
      .replace(/CLAIM(-[0-9A-Z]{4}){3}/g, "<claim code>")
      .replace(/(apikey:|mstr_)\w+?\b/g, "$1<key>")
  );
}
