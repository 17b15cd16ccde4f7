import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { NotRunningError, sendSubcommand } from "../../src/control/client.ts";
import { createControl } from "../../src/control/control.ts";
import { listenPrivately } from "../../src/control/listen.ts";
import { socketPath } from "../../src/control/socket-path.ts";
import { createLogger } from "../../src/lib/logger.ts";

async function folder(t: TestContext, deeper = ""): Promise<string> {
  const top = await mkdtemp(join(tmpdir(), "muster-socket-"));
  t.after(() => rm(top, { recursive: true, force: true }));
  const dataDir = join(top, deeper);
  await mkdir(dataDir, { recursive: true });
  t.after(async () => {
    if (dirname(socketPath(dataDir)) !== dataDir)
      await rm(dirname(socketPath(dataDir)), { recursive: true, force: true });
  });
  return dataDir;
}

async function listening(t: TestContext, dataDir: string): Promise<Server> {
  const server = createServer((_, response) => response.end("{}"));
  await listenPrivately(server, dataDir);
  t.after(() => server.close());
  return server;
}

test("a second service on a data folder refuses to start while the first answers", async (t) => {
  const dataDir = await folder(t);
  await listening(t, dataDir);
  await assert.rejects(listenPrivately(createServer(), dataDir), /another muster service is running/);
  assert.equal((await sendSubcommand(dataDir, "anything", {})).ok, true);
});

test("a service replaces the socket of a killed one", async (t) => {
  const dataDir = await folder(t);
  const script = `require("net").createServer().listen(process.argv[1], () => console.log("up"))`;
  const child = spawn(process.execPath, ["-e", script, socketPath(dataDir)], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.ok((await stat(socketPath(dataDir))).isSocket());
  await assert.rejects(sendSubcommand(dataDir, "anything", {}), NotRunningError);
  await listening(t, dataDir);
  assert.equal((await stat(socketPath(dataDir))).mode & 0o777, 0o600);
});

test("with a long path, the data folder's socket is in a private temporary folder that server and client find", async (t) => {
  const dataDir = await folder(t, `${"deep/".repeat(30)}data`);
  assert.ok(Buffer.byteLength(socketPath(dataDir)) <= 100);
  await listening(t, dataDir);
  assert.equal((await stat(dirname(socketPath(dataDir)))).mode & 0o777, 0o700);
  assert.equal((await sendSubcommand(dataDir, "anything", {})).ok, true);
});

test("server and client refuse a socket in a folder that other users can open", async (t) => {
  const dataDir = await folder(t, `${"deep/".repeat(30)}data`);
  const server = await listening(t, dataDir);
  await chmod(dirname(socketPath(dataDir)), 0o777);
  await assert.rejects(sendSubcommand(dataDir, "anything", {}), /is open to other users/);
  server.close();
  await assert.rejects(listenPrivately(createServer(), dataDir), /is open to other users/);
});

test("an unknown command, and a body that is not JSON, too large or of another shape, is refused and runs nothing", async (t) => {
  const dataDir = await folder(t);
  const asked: unknown[] = [];
  const facades = { access: { createTenant: async (input: unknown) => ({ asked: asked.push(input) }) } };
  const control = createControl({ ...facades, dataDir, logger: createLogger("silent") } as never);
  await control.start();
  t.after(() => control.stop());

  const problem = async (method: string, path: string, body: string) => {
    const sent = request({ socketPath: socketPath(dataDir), path, method });
    sent.end(body);
    const [response] = await once(sent, "response");
    return [response.statusCode, JSON.parse(await text(response)).error];
  };
  assert.deepEqual(await problem("POST", "/nonsense", "{}"), [404, "unknown_command"]);
  assert.deepEqual(await problem("POST", "/constructor", "{}"), [404, "unknown_command"]);
  assert.deepEqual(await problem("GET", "/tenant.create", ""), [404, "unknown_command"]);
  const bodies = [
    "",
    "{",
    "[]",
    "null",
    '"x"',
    '{"slug":"a"}',
    '{"slug":1,"name":"b"}',
    '{"slug":"a\\u0000","name":"b"}',
  ];
  for (const body of [...bodies, `{"slug":"a","name":"b","admin":true}`, `"${"x".repeat(300_000)}"`])
    assert.deepEqual(await problem("POST", "/tenant.create", body), [400, "invalid_request"], body.slice(0, 40));
  assert.deepEqual(asked, []);
  assert.equal((await sendSubcommand(dataDir, "tenant.create", { slug: "a", name: "b" })).ok, true);
  assert.deepEqual(asked, [{ slug: "a", name: "b" }]);
});
