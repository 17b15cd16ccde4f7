import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { https } from "../harness/http/https.ts";
import { musterProcess } from "../harness/processes/command-line.ts";

const launcher = join(import.meta.dirname, "../../bin/muster.mjs");

test("muster inbox stores messages beside those of earlier runs, and reports a port that is in use", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "muster-inbox-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "webhook-7.json"), "of an earlier run");
  const args = [launcher, "inbox", "--mail-port", "0", "--webhook-port", "0", "--folder", folder];
  const inbox = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => inbox.kill());
  const printed: string[] = [];
  for await (const line of createInterface({ input: inbox.stdout })) if (printed.push(line) === 3) break;
  const url = printed[1]!.split(/ +/)[1]!;

  const ca = await readFile(join(folder, "cert.pem"), "utf8");
  for (const body of ["no JSON at all", '{"type":"anomaly.opened"}'])
    assert.equal((await https(url, { ca, body })).status, 204);
  const stored = (await readdir(folder)).filter((name) => name.startsWith("webhook")).sort();
  assert.deepEqual(stored, ["webhook-7.json", "webhook-8.json", "webhook-9.json"]);
  assert.equal(JSON.parse(await readFile(join(folder, "webhook-8.json"), "utf8")).body, "no JSON at all");
  assert.equal(await readFile(join(folder, "webhook-7.json"), "utf8"), "of an earlier run");

  const { port } = new URL(url);
  const second = await musterProcess(["inbox", "--mail-port", "0", "--webhook-port", port, "--folder", folder], folder);
  assert.deepEqual(second, {
    stdout: "",
    stderr: `muster: port ${port} is in use by another process; choose another --webhook-port\n`,
    code: 1,
  });
  const none = await musterProcess(["inbox", "--mail-port", "99999"], folder);
  assert.match(none.stderr, /Use a port from 0 to 65535/);
  const exit = once(inbox, "exit");
  inbox.kill("SIGINT");
  assert.deepEqual(await exit, [0, null]);
});
