import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { load } from "js-yaml";
import { https } from "../harness/http/https.ts";
import { startServer } from "../harness/server.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("the command, the probe, the OpenAPI documents, the packages and the chart have one version", async () => {
  const { version } = JSON.parse(read("package.json"));
  const launcher = join(ROOT, "server/bin/muster.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [launcher, "--version"]);
  assert.equal(stdout, `${version}\n`);
  const server = await startServer();
  try {
    const ask = async (path: string) => (await https(`${server.httpUrl}${path}`, { ca: server.ca })).json;
    assert.deepEqual(await ask("/healthz"), { status: "ok", version });
    assert.equal((await ask("/openapi/public.json")).info.version, version);
    // The app's footer shows that of the description of its own API.
    for (const described of ["public", "device", "admin"])
      assert.equal(JSON.parse(read(`openapi/${described}.json`)).info.version, version, described);
  } finally {
    await server.stop();
  }
  for (const name of ["server", "agent", "admin"])
    assert.equal(JSON.parse(read(`${name}/package.json`)).version, version);
  const chart = load(read("deploy/helm/muster/Chart.yaml")) as Record<string, unknown>;
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});
