import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
import { closed, connectMqtt } from "../harness/devices.ts";
import { type CrashFixture, deviceOf, startCrashFixture } from "../harness/processes/crash.ts";
import { startProcess } from "../harness/processes/process.ts";

let service: CrashFixture;
before(async () => {
  service = await startCrashFixture({ fresh: true });
});
after(() => service?.close());

// Several processes may share a PostgreSQL. The folder of the embedded database belongs to one process.
if (!onPostgres) {
  test("a second process on the same folder exits with 1 and names the folder; the first keeps running", async () => {
    const env = {
      PATH: process.env.PATH,
      MUSTER_DATA_DIR: service.dataDir,
      MUSTER_HTTP_PORT: "0",
      MUSTER_MQTT_PORT: "0",
      MUSTER_METRICS_PORT: "0",
    };
    const launcher = join(import.meta.dirname, "../../bin/muster.mjs");
    const child = spawn(process.execPath, [launcher, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.equal(code, 1);
    assert.equal(
      stderr.trim(),
      `muster: another muster process is using the data folder ${service.dataDir}; stop it, or give this one a MUSTER_DATA_DIR of its own`,
    );
    await service.doctor();
  });
}

test("SIGTERM finishes a running redemption, closes sessions and exits with 0", async () => {
  const claim = await service.claim();
  const connected = await connectMqtt(service.server, await service.enroll());
  connected.on("error", () => undefined);
  const gone = closed(connected);
  await service.server.arm("redeem.commit:sleep:400");
  const asleep = service.server.asleep();
  const work = service.redeem(claim.body);
  await asleep;
  const code = service.server.end("SIGTERM");
  const answer = await work;
  assert.equal(answer.status, 200, answer.text);
  assert.equal(await code, 0);
  await gone;
  connected.end(true);
  await service.restart();
  assert.equal(await service.used(claim.id), 1);
  (await connectMqtt(service.server, deviceOf(answer, claim.key))).end(true);
  await service.doctor();
});

test("after kill -9 the production launcher has all data, devices connect and renew, and FAULT is ignored", async () => {
  const device = await service.enroll();
  const client = await connectMqtt(service.server, device);
  client.on("error", () => undefined);
  await service.server.end("SIGKILL");
  await closed(client);
  client.end(true);
  const env = { FAULT: "redeem.commit:kill9", MUSTER_MASTER_KEY: service.masterKey };
  service.use(await startProcess(service.dataDir, service.databaseUrl, { env }));
  (await connectMqtt(service.server, device)).end(true);
  assert.equal((await service.renew(device)).answer.status, 200);
  assert.ok(await service.enroll());
  await service.doctor();
});
