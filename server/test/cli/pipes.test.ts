import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { runSql } from "../harness/database/run-sql.ts";
import { newTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const launcher = join(import.meta.dirname, "../../bin/muster.mjs");
const ENTRIES = 8_000;

let server: TestServer;
let args: string[];

before(async () => {
  server = await startServer();
  const { slug, caller } = await newTenant(server);
  await runSql(
    server.app.database.db,
    `INSERT INTO admin_audit (id, tenant_id, at, actor, act, target, after)
     SELECT gen_random_uuid(), $1::uuid, now(), 'system', 'test.fill', n::text, jsonb_build_object('text', repeat('x', 400))
       FROM generate_series(1, ${ENTRIES}) n`,
    [caller.tenantId],
  );
  args = ["admin-audit", "--tenant", slug, "--limit", "10000"];
});
after(() => server.stop());

function start(command: string, given: string[]) {
  const env = { PATH: process.env.PATH, MUSTER_DATA_DIR: server.dataDir };
  return spawn(command, given, { env, stdio: ["ignore", "pipe", "pipe"] });
}

test("output of several megabytes reaches a slow reader completely", async () => {
  const child = start(process.execPath, [launcher, ...args, "--json"]);
  const exit = once(child, "exit");
  // By then a process that does not wait for its reader has ended.
  await Promise.race([exit, setTimeout(3_000)]);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(stdout.length > 3_000_000);
  assert.ok(JSON.parse(stdout).items.length >= ENTRIES);
});

test("output passes through a shell's pipe completely", async () => {
  const child = start("sh", ["-c", '"$0" "$@" | (sleep 1; cat)', process.execPath, launcher, ...args, "--json"]);
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.equal(code, 0);
  assert.ok(JSON.parse(stdout).items.length >= ENTRIES);
});

test("a reader that closes the pipe early causes no error message", async () => {
  const child = start("sh", ["-c", '"$0" "$@" | head -1', process.execPath, launcher, ...args]);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  assert.equal(stdout.trim().split("\n").length, 1);
  assert.equal(stderr, "");
});
