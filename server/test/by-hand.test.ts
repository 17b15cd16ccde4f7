import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { newKey, newTenant } from "./harness/devices.ts";
import { startServer } from "./harness/server.ts";

/**
 * Runs the commands of docs/quickstarts/by-hand.md as they stand and compares what they print with what the page says.
 * `MUSTER_TEST_UPDATE_DOCS=1` writes the real output into the page instead.
 */
const page = join(import.meta.dirname, "../../docs/quickstarts/by-hand.md");
const missing = ["openssl", "curl", "mosquitto_pub"].filter((tool) => spawnSync(tool, ["--help"]).error);
const skip = missing.length > 0 ? `${missing.join(" and ")} not installed` : false;

const BLOCK = /```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g;
const MARK = "—— next ——";

test("the walk by hand works as the page tells it", { skip }, async () => {
  const server = await startServer();
  const folder = await mkdtemp(join(tmpdir(), "muster-by-hand-"));
  try {
    const tenant = await newTenant(server, "acme");
    const claim = await server.app.enrollment.createClaim(tenant.caller, {
      intendedName: "Pump 1",
      intendedDeviceTypeId: tenant.deviceTypeId,
    });
    await writeFile(join(folder, "https-ca.pem"), server.ca);
    const settings = [
      `HTTPS=${server.httpUrl}`,
      `MQTT="-h localhost -p ${server.mqttPort}"`,
      "HTTPS_CA=https-ca.pem",
      `CLAIM=${claim.claimCode}`,
      `KEY=${await newKey(server, tenant, "device-certificates:read", "device-certificates:revoke")}`,
    ];
    const text = await readFile(page, "utf8");
    const blocks = [...text.matchAll(BLOCK)];
    const script = [...settings, ...blocks.map(([, commands]) => `${commands}echo '${MARK}'`)].join("\n");
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: folder, timeout: 45_000 });
    const outputs = stdout.split(`${MARK}\n`);
    if (process.env.MUSTER_TEST_UPDATE_DOCS) await writeFile(page, withOutputs(text, outputs));
    else for (const [index, [, , told]] of blocks.entries()) assert.equal(masked(outputs[index]!), masked(told ?? ""));
  } finally {
    await rm(folder, { recursive: true });
    await server.stop();
  }
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
  return output
    .trimEnd()
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/"requestId":"[^"]*"/g, '"requestId":"…"')
    .replace(/\b[0-9a-f]{64}\b/g, "<fingerprint>")
    .replace(/\b[0-9a-f]{32}\b/g, "<serial>")
    .replace(/\b[a-z2-7]{16}\b/g, "<device>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/[A-Z][a-z]{2} +\d+ [\d:]{8} \d{4} GMT/g, "<date>")
    .replace(/apikey:\w+/g, "apikey:<key>");
}
