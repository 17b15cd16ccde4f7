import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type mqtt from "mqtt";
import { openDatabase, runRaw } from "../src/db/database.ts";
import { createLogger } from "../src/lib/logger.ts";
import { fillFolder, onPostgres, type TestDatabase, testDatabase } from "./harness/database.ts";
import { connectMqtt, redemption, type TestDevice } from "./harness/devices.ts";
import { https } from "./harness/https.ts";
import { type ServerProcess, startProcess } from "./harness/process.ts";

let dataDir: string;
let database: TestDatabase | undefined;
let server: ServerProcess;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "muster-durability-"));
  database = onPostgres ? await testDatabase() : undefined;
  if (!onPostgres) await fillFolder(dataDir);
  server = await startProcess(dataDir, database?.url);
});
after(async () => {
  await server?.end("SIGKILL");
  await database?.remove();
  await rm(dataDir, { recursive: true, force: true });
});

/** A device enrolled over HTTPS with a claim from the shell, as its owner would. */
async function enroll(): Promise<Pick<TestDevice, "deviceId" | "fullchain" | "key" | "ca" | "topic">> {
  await server.command("tenant.create", { slug: "acme", name: "Acme" });
  const type = await server.command("device-type.create", {
    tenant: "acme",
    name: "Pump",
    publishTopics: ["telemetry/{deviceId}"],
  });
  const claim = await server.command("claim.create", {
    tenant: "acme",
    intendedName: "Pump",
    intendedDeviceTypeId: type.id,
  });
  const { key, body } = await redemption(claim.claimCode);
  const answer = await https(`${server.httpUrl}/api/provisioning/claim`, { body, ca: server.ca });
  assert.equal(answer.status, 200, answer.text);
  const { deviceId, mqtt: given } = answer.json;
  const fullchain = given.clientCert + given.clientCertChain;
  return { deviceId, key, fullchain, ca: given.serverCaBundle, topic: given.publishTopics[0] };
}

/**
 * Publishes numbers from `first` on, several in flight, until `enough` are acknowledged; then has `kill` end the server
 * in the midst of it. Resolves with all numbers acknowledged, those in the socket at the end included.
 */
async function publishUntilKilled(
  client: mqtt.MqttClient,
  topic: string,
  first: number,
  enough: number,
  kill: () => Promise<unknown>,
): Promise<{ acknowledged: number[]; sent: number }> {
  const acknowledged: number[] = [];
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  const base = Date.now() - 60_000;
  let next = first;
  let killed: Promise<unknown> | undefined;
  const publish = () => {
    const n = next++;
    client.publish(topic, JSON.stringify({ ts: base + n, values: { n } }), { qos: 1 }, (error) => {
      if (error) return;
      acknowledged.push(n);
      if (acknowledged.length === enough) killed = kill();
      if (client.connected) publish();
    });
  };
  client.on("error", () => undefined);
  for (let window = 0; window < 64; window++) publish();
  await closed;
  await killed;
  client.end(true);
  return { acknowledged, sent: next - first };
}

test("every acknowledged message is in the database after kill -9 and restart (reliability B15)", async () => {
  const device = await enroll();
  const acknowledged: number[] = [];
  let next = 0;
  let unanswered = 0;
  for (const enough of [100, 1_000]) {
    if (next > 0) server = await startProcess(dataDir, database?.url);
    const client = await connectMqtt(server, device);
    const round = await publishUntilKilled(client, device.topic, next, enough, () => server.end("SIGKILL"));
    assert.ok(round.acknowledged.length >= enough);
    acknowledged.push(...round.acknowledged);
    unanswered += round.sent - round.acknowledged.length;
    next += round.sent;
  }
  assert.ok(unanswered > 0, "the kills met nothing in flight: they proved nothing");

  const stored = await storedNumbers();
  const lost = acknowledged.filter((n) => !stored.has(n));
  assert.deepEqual(lost, []);
});

/** What a start after the kill finds; opening the embedded database is its recovery. */
async function storedNumbers(): Promise<Set<number>> {
  const opened = await openDatabase({ url: database?.url, dataDir, logger: createLogger("silent") });
  const rows = await runRaw<{ number: number }>(opened.db, "SELECT number FROM telemetry WHERE metric = 'n'", []);
  await opened.close();
  return new Set(rows.map(({ number }) => number));
}
