import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { type CrashFixture, deviceOf, startCrashFixture } from "./harness/crash.ts";
import { onPostgres } from "./harness/database.ts";
import { closed, connectMqtt } from "./harness/devices.ts";
import { startProcess } from "./harness/process.ts";

let fixture: CrashFixture;
before(async () => {
  fixture = await startCrashFixture({ fresh: true });
});
after(() => fixture?.close());

// On PostgreSQL several processes are welcome; the folder of the embedded database belongs to one.
if (!onPostgres) {
  test("a second process on the same folder says so and ends with 1; the first does not notice", async () => {
    const env = {
      PATH: process.env.PATH,
      MUSTER_DATA_DIR: fixture.dataDir,
      MUSTER_HTTP_PORT: "0",
      MUSTER_MQTT_PORT: "0",
      MUSTER_METRICS_PORT: "0",
    };
    const launcher = join(import.meta.dirname, "../bin/muster.mjs");
    const child = spawn(process.execPath, [launcher, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.equal(code, 1);
    assert.equal(
      stderr.trim(),
      `muster: another muster process is using the data folder ${fixture.dataDir}; stop it, or give this one a MUSTER_DATA_DIR of its own`,
    );
    await fixture.doctor();
  });
}

test("after kill -9 the next start finds everything, and a device connects with what it holds", async () => {
  const device = await fixture.enroll();
  const client = await connectMqtt(fixture.server, device);
  client.on("error", () => undefined);
  await fixture.server.end("SIGKILL");
  await closed(client);
  client.end(true);
  await fixture.restart();
  (await connectMqtt(fixture.server, device)).end(true);
  assert.equal((await fixture.renew(device)).answer.status, 200);
  await fixture.doctor();
});

test("SIGTERM finishes the redemption that is under way, closes sessions and ends with 0", async () => {
  const claim = await fixture.claim();
  const connected = await connectMqtt(fixture.server, await fixture.enroll());
  connected.on("error", () => undefined);
  const gone = closed(connected);
  await fixture.server.arm("redeem.commit:sleep:400");
  const asleep = fixture.server.asleep();
  const work = fixture.redeem(claim.body);
  await asleep;
  const code = fixture.server.end("SIGTERM");
  const answer = await work;
  assert.equal(answer.status, 200, answer.text);
  assert.equal(await code, 0);
  await gone;
  connected.end(true);
  await fixture.restart();
  assert.equal(await fixture.used(claim.id), 1);
  (await connectMqtt(fixture.server, deviceOf(answer, claim.key))).end(true);
  await fixture.doctor();
});

test("the production entry knows no faults: FAULT means nothing to it", async () => {
  await fixture.server.end("SIGTERM");
  const env = { FAULT: "redeem.commit:kill9", MUSTER_MASTER_KEY: fixture.masterKey };
  const plain = await startProcess(fixture.dataDir, fixture.databaseUrl, { env });
  fixture.use(plain);
  assert.ok(await fixture.enroll());
});
