import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { newKey, newTenant, type TestTenant } from "./harness/devices.ts";
import { startServer, type TestServer } from "./harness/server.ts";

/**
 * Runs the commands of pages of docs/quickstarts as they stand and compares what they print with what the pages say.
 * `MUSTER_TEST_UPDATE_DOCS=1` writes the real output into the pages instead.
 */
const PAGES = join(import.meta.dirname, "../../docs/quickstarts");
const LAUNCHER = join(import.meta.dirname, "../bin/muster.mjs");
const BLOCK = /```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g;
const MARK = "—— next ——";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server, "acme");
});
after(() => server.stop());

/** Whether the programs that a page uses are missing, in words. */
function without(...tools: string[]): string | false {
  const missing = tools.filter((tool) => spawnSync(tool, ["--help"]).error);
  return missing.length > 0 ? `${missing.join(" and ")} not installed` : false;
}

/** Runs the blocks of `page` one after the other in one shell, after `settings`, which its reader makes by hand. */
async function walk(page: string, settings: string[]): Promise<void> {
  const file = join(PAGES, page);
  const folder = await mkdtemp(join(tmpdir(), "muster-quickstart-"));
  try {
    await writeFile(join(folder, "https-ca.pem"), server.ca);
    const text = await readFile(file, "utf8");
    const blocks = [...text.matchAll(BLOCK)];
    assert.ok(blocks.length > 0);
    const given = [
      `HTTPS=${server.httpUrl}`,
      `HTTPS_CA=${folder}/https-ca.pem`,
      `export TMPDIR=${folder}`,
      ...settings,
    ];
    const script = [...given, ...blocks.map(([, commands]) => `${commands}echo '${MARK}'`)].join("\n");
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: folder, timeout: 45_000 });
    const outputs = stdout.replaceAll("\r", "").split(new RegExp(`\n?${MARK}\n`));
    if (process.env.MUSTER_TEST_UPDATE_DOCS) await writeFile(file, withOutputs(text, outputs));
    else for (const [index, [, , told]] of blocks.entries()) assert.equal(masked(outputs[index]!), masked(told ?? ""));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("the public API with curl works as the page tells it", { skip: without("curl", "jq", "openssl") }, async () => {
  await server.app.access.createUser({ tenant: "acme", email: "you@acme.example", role: "admin" });
  await walk("api.md", [
    `export MUSTER_DATA_DIR='${server.dataDir}'`,
    `npx() { shift; '${process.execPath}' '${LAUNCHER}' "$@"; }`,
    `TYPE=${tenant.deviceTypeId}`,
  ]);
});

test("the walk by hand works as the page tells it", { skip: without("openssl", "curl", "mosquitto_pub") }, async () => {
  const claim = await server.app.enrollment.createClaim(tenant.caller, {
    intendedName: "Pump 1",
    intendedDeviceTypeId: tenant.deviceTypeId,
  });
  await walk("by-hand.md", [
    `MQTT="-h localhost -p ${server.mqttPort}"`,
    `CLAIM=${claim.claimCode}`,
    `KEY=${await newKey(server, tenant, "device-certificates:read", "device-certificates:revoke")}`,
  ]);
});

function withOutputs(text: string, outputs: string[]): string {
  let index = 0;
  return text.replace(BLOCK, (_, commands: string) => {
    const output = outputs[index++]!;
    return `\`\`\`sh\n${commands}\`\`\`\n${output ? `\n\`\`\`text\n${output.trimEnd()}\n\`\`\`\n` : ""}`;
  });
}

/** What differs from run to run, made equal. */
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
      .replace(/[A-Z][a-z]{2} +\d+ [\d:]{8} \d{4} GMT/g, "<date>")
      // Whether the client was still writing when the broker hung up.
      .replace(/Error: (The connection was lost\.\nexit 7|Broken pipe\nexit 14)/g, "Error: <hung up on>")
      .replace(/CLAIM(-[0-9A-Z]{4}){3}/g, "<claim code>")
      .replace(/(apikey:|mstr_)\w+?\b/g, "$1<key>")
  );
}
