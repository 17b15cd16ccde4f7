import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { testFeatures } from "../harness/features.ts";
import { openTelemetryFixture } from "../harness/telemetry.ts";
import type { Environment } from "./environment.ts";
import { newSender, type Sender } from "./sender.ts";

/** Anomalies of devices that are silent for longer than their type allows. */
export function silenceRules(given: () => Environment): void {
  async function silentSender(silentForSeconds: number | null) {
    const env = given();
    const { devices, rules } = env.server.app;
    const { caller } = env.tenant;
    const type = await devices.createDeviceType(caller, { name: "Sender", publishTopics: [], silentForSeconds });
    const sender: Sender = await newSender(env);
    await sender.assign([], type.id);
    const poll = () => Promise.all([rules.pollSilence(), env.second.app.rules.pollSilence()]);
    return { env, devices, caller, type, sender, poll, clock: env.server.clock };
  }

  test("a device that is silent for longer than its type allows has one anomaly, which its next message resolves", async () => {
    const { sender, poll, clock } = await silentSender(300);
    clock.advance(301_000);
    await poll();
    assert.deepEqual(await sender.anomalies(), [], "it was never seen");
    await sender.say({ a: 1 });
    clock.advance(300_000);
    await poll();
    assert.deepEqual(await sender.anomalies(), []);
    clock.advance(1_000);
    await poll();
    await poll();
    const [{ id, openedAt, ...anomaly }, ...none] = await sender.anomalies();
    assert.deepEqual(none, []);
    assert.equal(openedAt, clock.now().toISOString());
    assert.deepEqual(
      { ...anomaly, lastObservedAt: undefined },
      {
        deviceId: sender.id,
        thresholdId: null,
        ruleId: null,
        metric: null,
        value: 301,
        limit: 300,
        severity: "major",
        status: "open",
        message: "The device has been silent for more than 300 s",
        lastObservedAt: undefined,
        occurrences: 1,
        acknowledgedAt: null,
        acknowledgedBy: null,
        comment: null,
        resolvedAt: null,
        resolvedBy: null,
        ticketId: null,
      },
    );
    clock.advance(60_000);
    await sender.send(["even one that cannot be read"]);
    const [resolved] = await sender.anomalies();
    assert.deepEqual([resolved.id, resolved.status, resolved.resolvedBy], [id, "resolved", "system"]);
    clock.advance(301_000);
    await poll();
    assert.deepEqual(
      (await sender.anomalies()).map(({ status }) => status),
      ["resolved", "open"],
    );
  });

  test("silence is no anomaly if the type sets no limit, and removing the limit resolves it", async () => {
    const { env, devices, caller, type, sender, poll, clock } = await silentSender(null);
    await sender.say({ a: 1 });
    clock.advance(3_600_000);
    await poll();
    assert.deepEqual(await sender.anomalies(), []);
    await devices.updateDeviceType(caller, type.id, { silentForSeconds: 60 });
    await poll();
    assert.equal((await sender.anomalies()).length, 1);
    await devices.updateDeviceType(caller, type.id, { silentForSeconds: null });
    await poll();
    const [{ status, comment }] = await sender.anomalies();
    assert.deepEqual([status, comment], ["resolved", "No longer evaluated: the device type no longer limits silence."]);
    for (const silentForSeconds of [0, -1, 1.5, 2_592_001])
      await assert.rejects(env.server.app.devices.updateDeviceType(caller, type.id, { silentForSeconds }), {
        code: "invalid_request",
        detail: "silentForSeconds",
      });
  });
}

/** The same, where only the test polls. */
export function unattendedSilenceRules(): void {
  test("a device that speaks every 0.9 s is not silent for a second, whichever process polls and while its message waits", async (t) => {
    const { database, clock, features, device, anomalies } = await unattended(t, 1);
    const other = testFeatures({ database, clock });
    const poll = () => Promise.all([features, other].map(({ rules }) => rules.pollSilence()));
    await device.publish({ a: 1 });
    for (let ms = 100; ms < 9_000; ms += 100) {
      clock.advance(100);
      if (ms % 900 === 0) await device.publish({ a: ms });
      await poll();
    }
    assert.deepEqual(await anomalies(), []);
    await device.publish({ a: 1 });
    clock.advance(1_900);
    const waiting = device.publish({ a: 2 });
    clock.advance(900);
    await features.rules.pollSilence();
    await waiting;
    assert.deepEqual(await anomalies(), []);
    clock.advance(2_000);
    await poll();
    assert.equal((await anomalies()).length, 1);
  });

  test("time during which the database was unreachable does not count as silence", async (t) => {
    const { database, clock, device, anomalies } = await unattended(t, 300);
    let unreachable = false;
    const unreliable = {
      ...database,
      get db() {
        if (unreachable) throw new Error("the database is unreachable");
        return database.db;
      },
    };
    const patchy = testFeatures({ database: unreliable, clock }).rules;
    await device.publish({ a: 1 });
    await patchy.pollSilence();
    unreachable = true;
    clock.advance(301_000);
    await assert.rejects(patchy.pollSilence());
    unreachable = false;
    clock.advance(1_000);
    await patchy.pollSilence();
    assert.deepEqual(await anomalies(), []);
    clock.advance(301_000);
    await patchy.pollSilence();
    assert.equal((await anomalies()).length, 1);
  });

  test("a connect resolves the anomaly of a silent device, and its silence starts over", async (t) => {
    const { clock, features, device, anomalies, query } = await unattended(t, 300);
    const { pollSilence } = features.rules;
    const statuses = async () => (await anomalies()).map(({ status }) => status);
    await device.publish({ a: 1 });
    clock.advance(301_000);
    await pollSilence();
    clock.advance(60_000);
    await pollSilence();
    await query("UPDATE devices SET last_seen_at = $1 WHERE uid = $2", [clock.now(), device.uid]);
    await pollSilence();
    assert.deepEqual(await statuses(), ["resolved"]);
    clock.advance(300_000);
    await pollSilence();
    assert.deepEqual(await statuses(), ["resolved"]);
    clock.advance(1);
    await pollSilence();
    assert.deepEqual(await statuses(), ["open", "resolved"]);
  });

  test("a silent device is checked at growing intervals, and a message that was stored unnoticed resolves its anomaly", async (t) => {
    const { clock, features, device, anomalies, query } = await unattended(t, 300);
    const nextCheck = async () => {
      await features.rules.pollSilence();
      const statement = "SELECT due_at AS at FROM silence_checks WHERE device_uid = $1";
      const [check] = await query<{ at: Date }>(statement, [device.uid]);
      return check!.at.getTime() - clock.now().getTime();
    };
    await device.publish({ a: 1 });
    clock.advance(301_000);
    const openedAt = clock.now().getTime();
    let wait = await nextCheck();
    assert.equal(wait, 10_000);
    for (let round = 0; round < 4; round++) {
      clock.advance(wait - 1);
      assert.equal(await nextCheck(), 1);
      clock.advance(1);
      wait = await nextCheck();
      assert.equal(wait, clock.now().getTime() - openedAt);
    }
    await query("UPDATE device_latest SET seen_at = $1 WHERE device_uid = $2", [clock.now(), device.uid]);
    clock.advance(wait);
    await features.rules.pollSilence();
    assert.deepEqual(
      (await anomalies()).map(({ status }) => status),
      ["resolved"],
    );
  });

  test("a limit that a type receives applies to all of its devices, however many", async (t) => {
    const { clock, features, caller, query, type } = await unattended(t, null);
    const devices = 5_050;
    await query(
      `INSERT INTO devices (uid, tenant_id, id, name, device_type_id, last_seen_at, created_at, updated_at)
       SELECT gen_random_uuid(), $1, 'many-' || n, 'One of many', $2, $3, $3, $3 FROM generate_series(1, $4::integer) n`,
      [caller.tenantId, type.id, clock.now(), devices],
    );
    await features.rules.pollSilence();
    clock.advance(3_600_000);
    await features.devices.updateDeviceType(caller, type.id, { silentForSeconds: 60 });
    await features.rules.pollSilence();
    const [count] = await query<{ open: number }>(
      "SELECT count(*)::int AS open FROM anomalies WHERE resolved_at IS NULL",
    );
    assert.deepEqual(count, { open: devices });
  });
}

/**
 * A device whose silence only the test polls for. A service polls by itself every ten seconds, independently of the
 * test.
 */
async function unattended(t: TestContext, silentForSeconds: number | null) {
  const fixture = await openTelemetryFixture();
  t.after(() => fixture.close());
  const { features } = fixture;
  const caller = await fixture.tenant();
  const device = await fixture.device(caller);
  const type = await features.devices.createDeviceType(caller, { name: "Sender", publishTopics: [], silentForSeconds });
  await features.devices.replaceDevice(caller, device.id, { name: "Pump", deviceTypeId: type.id });
  const list = { deviceId: device.id, skip: 0, limit: 10 };
  return {
    ...fixture,
    caller,
    type,
    device,
    anomalies: async () => (await features.anomalies.listAnomalies(caller, list)).items,
  };
}
