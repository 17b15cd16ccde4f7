import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { newTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** `python3 -m venv node_modules/.scim`, as `.ci/run` says. */
const PYTHON = join(import.meta.dirname, "../../../node_modules/.scim/bin/python");
const skip = existsSync(PYTHON) ? false : "scim2-tester is not installed";

let server: TestServer;

before(async () => {
  server = await startServer();
});
after(() => server.stop());

test("scim2-tester finds no fault", { skip }, async () => {
  const { caller } = await newTenant(server);
  const { token, url } = await server.app.scim.createScimToken(caller);
  const ca = join(server.dataDir, "scim-ca.pem");
  await writeFile(ca, server.ca);
  const program = join(import.meta.dirname, "tester.py");
  const { stdout } = await promisify(execFile)(PYTHON, [program, url, token, ca], { maxBuffer: 1 << 24 });
  const results = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { status: string; title: string; reason: string });
  assert.ok(results.length > 40, `${results.length} results`);
  assert.deepEqual(
    results.filter(({ status }) => status !== "SUCCESS" && status !== "COMPLIANT"),
    [],
  );
});
