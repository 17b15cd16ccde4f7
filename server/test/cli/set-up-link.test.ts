import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fillFolder, onPostgres, testDatabase } from "../harness/database/database.ts";
import { type ServerProcess, startProcess } from "../harness/processes/process.ts";
import { TEST_MASTER_KEY } from "../harness/server.ts";
import { newBrowser, PASSWORD, tokenOf } from "../harness/sign-in.ts";

const root = mkdtempSync(join(tmpdir(), "muster-set-up-"));
after(() => rmSync(root, { recursive: true }));

const LAUNCHER = join(import.meta.dirname, "../../bin/muster.mjs");
/** A link to set up the service, in a log. */
const LINK = /setup#|setupUrl/;

/** Starts a service without a tenant and without a terminal, as systemd and Docker do. */
async function startFirst(env: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(root, "data-"));
  const database = onPostgres ? await testDatabase() : undefined;
  if (!onPostgres) await fillFolder(dataDir);
  const start = () =>
    startProcess(dataDir, database?.url, {
      env: { MUSTER_MASTER_KEY: TEST_MASTER_KEY, MUSTER_LOG_LEVEL: "debug", ...env },
    });
  return { dataDir, file: join(dataDir, "setup-link"), start, remove: () => database?.remove() };
}

const setUp = (server: ServerProcess, url: string) =>
  newBrowser(server).call("POST", "/setup", {
    body: {
      token: tokenOf(url),
      tenantName: "Acme",
      tenantSlug: "acme",
      email: "ada@acme.example",
      password: PASSWORD,
    },
  });

const linkIn = (file: string) => readFileSync(file, "utf8").split("\n")[0]!;

for (const workers of onPostgres ? ["1", "2"] : ["1"]) {
  const env = { MUSTER_WORKERS: workers };
  const title = `with ${workers} of MUSTER_WORKERS`;

  test(`${title}, the set-up link is in a file for its user only and in no log line, and using it removes the file`, async () => {
    const { start, file, dataDir, remove } = await startFirst(env);
    const server = await start();
    try {
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const lines = server.log.map((line) => JSON.parse(line));
      const { setupLinkFile, command } = lines.find((line) => line.setupLinkFile !== undefined);
      assert.deepEqual([setupLinkFile, command], [file, "muster setup-link"]);
      const used = await setUp(server, linkIn(file));
      assert.equal(used.status, 201, used.text);
      assert.deepEqual(
        readdirSync(dataDir).filter((name) => name.startsWith("setup-link")),
        [],
      );
    } finally {
      await server.end("SIGTERM");
    }
    for (const line of server.log) assert.doesNotMatch(line, LINK);
    await remove();
  });

  test(`${title}, another link of the shell removes the file, and the next start writes it again while there is no user`, async () => {
    const { start, file, remove } = await startFirst(env);
    let server = await start();
    try {
      const former = linkIn(file);
      const { url } = await server.command("setup-link", {});
      assert.ok(!existsSync(file), "its link works no more");
      assert.equal((await setUp(server, former)).json.error, "link_expired");
      await server.end("SIGTERM");
      server = await start();
      assert.notEqual(linkIn(file), url);
      assert.equal((await setUp(server, url)).json.error, "link_expired");
      assert.equal((await setUp(server, linkIn(file))).status, 201);
      await server.end("SIGTERM");
      // The state that a killed process leaves.
      writeFileSync(file, "the link of the first start");
      server = await start();
      assert.ok(!existsSync(file));
    } finally {
      await server.end("SIGTERM");
    }
    assert.ok(!server.log.some((line) => line.includes("setupLinkFile")));
    await remove();
  });
}

// The terminal of util-linux.
if (process.platform === "linux" && !onPostgres) {
  test("a terminal shows the link, whichever of both outputs it receives, and there is no file", async () => {
    for (const redirected of ["2>/dev/null", `>'${join(root, "log")}'`]) {
      const { dataDir, file } = await startFirst();
      const command = `exec '${process.execPath}' '${LAUNCHER}' serve ${redirected}`;
      const ports = { MUSTER_HTTP_PORT: "0", MUSTER_MQTT_PORT: "0", MUSTER_METRICS_PORT: "0" };
      const child = spawn("script", ["-qec", command, "/dev/null"], {
        env: {
          PATH: process.env.PATH,
          SHELL: "/bin/sh",
          MUSTER_DATA_DIR: dataDir,
          MUSTER_EMBEDDED_SYNC: "off",
          ...ports,
        },
        stdio: ["pipe", "pipe", "inherit"],
      });
      const ended = once(child, "exit");
      let printed = "";
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        printed += chunk;
      });
      while (!printed.includes("ca.pem\r\n")) await once(child.stdout, "data");
      assert.match(printed, /Set it up {3}https:\S+\/setup#[\w-]{43}\r\n/);
      for (const line of printed.split("\r\n").filter((each) => each.startsWith("{"))) assert.doesNotMatch(line, LINK);
      assert.ok(!existsSync(file));
      child.stdin.write("\x03");
      await ended;
    }
    assert.doesNotMatch(readFileSync(join(root, "log"), "utf8"), LINK);
  });
}
