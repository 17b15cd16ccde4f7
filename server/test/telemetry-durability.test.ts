import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type mqtt from "mqtt";
import { openDatabase, runRaw } from "../src/db/database.ts";
import { createLogger } from "../src/lib/logger.ts";
import type { Rule } from "../src/monitoring/monitoring.ts";
import { referenceAnomalies } from "../src/monitoring/test-support/reference-evaluator.ts";
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

/** Has rules watch the saw teeth that the device publishes, and answers with the rules as they are. */
async function watch(deviceId: string): Promise<Rule[]> {
  const email = "ada@acme.example";
  await server.command("user.create", { tenant: "acme", email, role: "admin" });
  const scopes = ["devices:write", "thresholds:write"];
  const { key } = await server.command("key.create", { tenant: "acme", user: email, name: "test", scopes });
  const ask = async (method: string, path: string, body: object) => {
    const options = { method, body, ca: server.ca, headers: { "x-api-key": key } };
    const answer = await https(`${server.httpUrl}/api/v1/${path}`, options);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };
  const rule = { metric: "tooth", operator: "gt", severity: "minor" };
  const rules = [
    { ...rule, value: 14 },
    { ...rule, value: 4, clearValue: 2, forSeconds: 1 },
    { ...rule, value: 17, clearForSeconds: 1 },
  ];
  const pack = await ask("POST", "thresholds", { name: "Teeth", rules });
  await ask("PUT", `devices/${deviceId}`, { name: "Pump", thresholdIds: [pack.id] });
  return pack.rules;
}

/** Ten readings a second in the device's own time. */
const APART_MS = 100;
const TOOTH = 20;
const BASE = Date.now() - 86_400_000;
const ROUNDS = onPostgres ? [100, 300, 200, 50, 400, 100, 300, 200, 50, 500] : [100, 1_000];

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
  let next = first;
  let killed: Promise<unknown> | undefined;
  const publish = () => {
    const n = next++;
    const message = { ts: BASE + n * APART_MS, values: { n, tooth: n % TOOTH } };
    client.publish(topic, JSON.stringify(message), { qos: 1 }, (error) => {
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

test("every acknowledged message is in the database after kill -9 and restart, and judged as if nothing had been (reliability B15)", {
  timeout: 180_000,
}, async () => {
  const device = await enroll();
  const rules = await watch(device.deviceId);
  const acknowledged: number[] = [];
  let next = 0;
  let unanswered = 0;
  for (const enough of ROUNDS) {
    if (next > 0) server = await startProcess(dataDir, database?.url);
    const client = await connectMqtt(server, device);
    const round = await publishUntilKilled(client, device.topic, next, enough, () => server.end("SIGKILL"));
    assert.ok(round.acknowledged.length >= enough);
    acknowledged.push(...round.acknowledged);
    unanswered += round.sent - round.acknowledged.length;
    next += round.sent;
  }
  assert.ok(unanswered > 0, "the kills met nothing in flight: they proved nothing");

  const { stored, anomalies } = await whatIsThere();
  const lost = acknowledged.filter((n) => !stored.has(n));
  assert.deepEqual(lost, []);
  const said = [...stored].map((n) => ({ time: n * APART_MS * 1000, metric: "tooth", value: n % TOOTH }));
  const expected = referenceAnomalies(rules, [said]);
  assert.ok(expected.length > enoughTeeth(stored.size), `${expected.length} anomalies prove little`);
  for (const { id } of rules) {
    assert.deepEqual(
      anomalies
        .filter(({ rule_id }) => rule_id === id)
        .map(({ occurrences, resolved }) => [Number(occurrences), resolved]),
      expected
        .filter(({ ruleId }) => ruleId === id)
        .map(({ occurrences, resolvedAt }) => [occurrences, resolvedAt !== null]),
    );
  }
});

/** Each tooth is at least one anomaly of the first rule. */
const enoughTeeth = (stored: number) => stored / TOOTH / 2;

/** What a start after the kill finds; opening the embedded database is its recovery. */
async function whatIsThere() {
  const opened = await openDatabase({ url: database?.url, dataDir, logger: createLogger("silent") });
  const rows = await runRaw<{ number: number }>(
    opened.db,
    "SELECT number FROM telemetry WHERE metric = 'n' ORDER BY ts",
    [],
  );
  const anomalies = await runRaw<{ rule_id: string; occurrences: string; resolved: boolean }>(
    opened.db,
    "SELECT rule_id, occurrences, resolved_at IS NOT NULL AS resolved FROM anomalies ORDER BY id",
    [],
  );
  await opened.close();
  return { stored: new Set(rows.map(({ number }) => number)), anomalies };
}
