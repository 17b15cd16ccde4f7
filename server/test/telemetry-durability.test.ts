import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { assertEvaluated, assertPaged, assertStored, readStoredState } from "./durability/assertions.ts";
import { type MonitoredDevice, risingDevice, sawtoothDevice } from "./durability/monitored-devices.ts";
import { type CrashFixture, startCrashFixture } from "./harness/crash.ts";
import { onPostgres } from "./harness/database.ts";
import { ask } from "./harness/postgres.ts";
import { sequence } from "./harness/sequence.ts";
import { type Sinks, startSinks } from "./harness/sinks.ts";

const SEED = 20_261_121;
const KILLS = onPostgres ? 10 : 1;
/** The service is killed at a random time: after so many acknowledgements, and up to so many milliseconds later. */
const MIN_ACKNOWLEDGED = 50;
const MAX_ACKNOWLEDGED = onPostgres ? 400 : 900;
const MAX_DELAY_MS = 30;

let sinks: Sinks;
let service: CrashFixture;
before(async () => {
  sinks = await startSinks();
  service = await startCrashFixture({ faulty: false, env: sinks.env });
});
after(async () => {
  await service?.close();
  await sinks.stop();
});

/** Devices whose anomalies page people. Only on PostgreSQL are there enough kills for one to happen while a page is sent. */
async function pagingDevices(): Promise<MonitoredDevice[]> {
  if (!onPostgres) return [];
  return [
    await risingDevice(service, 100, 1, { channel: { type: "webhook", target: sinks.hookUrl("/plant") }, sinks }),
    // Few, since more than twenty mails in a minute would be sent as a digest.
    await risingDevice(service, 8, 12, { channel: { type: "email", target: "plant@acme.example" }, sinks }),
  ];
}

const COUNT_PENDING = `SELECT (SELECT count(*) FROM notification_inbox) + (SELECT count(*) FROM pages WHERE state = 'due')
                         + (SELECT count(*) FROM deliveries WHERE state = 'pending') AS count`;

/** How many pages and messages are not sent yet. */
async function countPending(): Promise<number> {
  if (service.databaseUrl === undefined) return 0;
  const [row] = await ask<{ count: string }>(service.databaseUrl, COUNT_PENDING);
  return Number(row!.count);
}

test("after kill -9 during ingest and paging, every acknowledged reading is stored and evaluated, and each anomaly is paged once", async () => {
  const random = sequence(SEED);
  const sawtooth = await sawtoothDevice(service);
  const paged = await pagingDevices();
  const all = [sawtooth, ...paged];
  let pendingAtKills = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    if (kill > 1) await service.restart();
    const { server } = service;
    const enough = MIN_ACKNOWLEDGED + Math.floor(random() * (MAX_ACKNOWLEDGED - MIN_ACKNOWLEDGED));
    const delayMs = random() * MAX_DELAY_MS;
    const killSoon = () => setTimeout(delayMs).then(() => server.end("SIGKILL"));
    await Promise.all(all.map(({ publisher }) => publisher.publishUntilKilled(server, enough, killSoon)));
    await server.ended;
    pendingAtKills += await countPending();
  }
  for (const { publisher } of all)
    assert.ok(
      publisher.sent > publisher.acknowledged.length,
      "no message was in flight at any kill: the kills prove nothing",
    );

  if (onPostgres) {
    assert.ok(pendingAtKills > 0, "no page was pending at any kill: the kills prove nothing");
    await service.outdateHeartbeats();
    await service.restart();
    while ((await countPending()) > 0) await setTimeout(100);
    await service.doctor();
  }
  const state = await readStoredState(service);
  for (const each of all) assertStored(each, state);
  assertEvaluated(sawtooth, state);
  for (const each of paged) assertPaged(each, state, sinks);
});
