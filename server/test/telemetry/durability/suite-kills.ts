import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { onPostgres } from "../../harness/database/database.ts";
import { ask } from "../../harness/database/postgres.ts";
import { type Sinks, startSinks } from "../../harness/http/sinks.ts";
import { storedUpTo, streamVariables } from "../../harness/ingest-stream.ts";
import { type CrashFixture, startCrashFixture } from "../../harness/processes/crash.ts";
import { type NatsServer, startJetStream } from "../../harness/processes/nats-server.ts";
import { sequence } from "../../harness/sequence.ts";
import { assertEvaluated, assertPaged, assertStored, readStoredState } from "./assertions.ts";
import { type MonitoredDevice, risingDevice, sawtoothDevice } from "./monitored-devices.ts";

const SEED = 20_261_121;
const MAX_DELAY_MS = 30;

export interface Kills {
  count: number;
  /**
   * The random time of a kill: the minimum and maximum number of acknowledgements, and up to some milliseconds after
   * that.
   */
  acknowledged: readonly [number, number];
  /** With `stream`, messages that wait in NATS at the kill are stored later. */
  ingest: "direct" | "stream";
}

const COUNT_PENDING = `SELECT (SELECT count(*) FROM notification_inbox) + (SELECT count(*) FROM pages WHERE state = 'due')
                         + (SELECT count(*) FROM deliveries WHERE state = 'pending') AS count`;

/** Declares the test that a service killed repeatedly loses no acknowledged message. */
export function killRules({ count, acknowledged: [least, most], ingest }: Kills): void {
  let nats: NatsServer | undefined;
  let sinks: Sinks;
  let service: CrashFixture;
  before(async () => {
    nats = ingest === "stream" ? await startJetStream() : undefined;
    sinks = await startSinks();
    const env = { ...sinks.env, ...(nats ? streamVariables([nats]) : {}) };
    service = await startCrashFixture({ faulty: false, env });
  });
  after(async () => {
    await service?.close();
    await sinks.stop();
    await nats?.stop();
  });

  /**
   * Whether anomalies page people. Only PostgreSQL gets enough kills for one to happen while a page is sent, and with
   * the ingest stream most anomalies open after the last kill.
   */
  async function pagingDevices(): Promise<MonitoredDevice[]> {
    if (!onPostgres || nats) return [];
    return [
      await risingDevice(service, 100, 1, { channel: { type: "webhook", target: sinks.hookUrl("/plant") }, sinks }),
      // There are few, because more than twenty mails per minute would be sent as a digest.
      await risingDevice(service, 8, 12, { channel: { type: "email", target: "plant@acme.example" }, sinks }),
    ];
  }

  /** Returns how many pages and messages are not sent yet. */
  async function countPending(): Promise<number> {
    if (service.databaseUrl === undefined) return 0;
    const [row] = await ask<{ count: string }>(service.databaseUrl, COUNT_PENDING);
    return Number(row!.count);
  }

  /** Sends one more reading from each device: everything that waits in the stream is stored before that reading. */
  async function emptyStream(devices: readonly MonitoredDevice[]): Promise<void> {
    for (const { publisher } of devices) {
      const last = await publisher.publishOne(service.server);
      assert.ok(await storedUpTo(service.databaseUrl!, publisher, last), "what was acknowledged last is not stored");
    }
  }

  test("after kill -9 during ingest and paging, every acknowledged reading is stored and evaluated, and each anomaly is paged once", async () => {
    const random = sequence(SEED);
    const sawtooth = await sawtoothDevice(service);
    const paged = await pagingDevices();
    const all = [sawtooth, ...paged];
    let pendingAtKills = 0;
    for (let kill = 1; kill <= count; kill++) {
      if (kill > 1) await service.restart();
      const { server } = service;
      const enough = least + Math.floor(random() * (most - least));
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
      assert.ok(pendingAtKills > 0 || nats, "no page was pending at any kill: the kills prove nothing");
      await service.outdateHeartbeats();
      await service.restart();
      if (nats) await emptyStream(all);
      while ((await countPending()) > 0) await setTimeout(100);
      await service.doctor();
    }
    const state = await readStoredState(service);
    for (const each of all) assertStored(each, state);
    assertEvaluated(sawtooth, state);
    for (const each of paged) assertPaged(each, state, sinks);
  });
}
