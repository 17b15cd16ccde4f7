import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { startServer } from "../harness/server.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/health-check.mjs");

/** Runs the image's health check with the environment of a container. */
async function check(env: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "ignore", "pipe"] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return { code, said };
}

test("the image's health check asks the service at its own port, whatever name its certificate has", async () => {
  const server = await startServer();
  const { port } = new URL(server.httpUrl);
  try {
    for (const host of ["0.0.0.0", "127.0.0.1"])
      assert.deepEqual(await check({ MUSTER_HTTP_HOST: host, MUSTER_HTTP_PORT: port }), { code: 0, said: "" });
    assert.equal((await check({ MUSTER_HTTP_PORT: port })).code, 0);
  } finally {
    await server.stop();
  }
  const { code, said } = await check({ MUSTER_HTTP_PORT: port });
  assert.equal(code, 1);
  assert.match(said, /^not ready: .*ECONNREFUSED/);
});
