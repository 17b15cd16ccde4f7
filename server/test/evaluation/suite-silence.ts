import assert from "node:assert/strict";
import { test } from "node:test";
import { randomIds } from "../../src/lib/ids.ts";
import { createRules } from "../../src/rules/rules.ts";
import type { World } from "../monitoring/world.ts";
import { newSender, type Sender } from "./sender.ts";

/** Devices that fall silent. */
export function silenceRules(given: () => World): void {
  async function talker(silentForSeconds: number | null) {
    const world = given();
    const { devices, rules } = world.server.app;
    const { caller } = world.tenant;
    const type = await devices.createDeviceType(caller, { name: "Talker", publishTopics: [], silentForSeconds });
    const sender: Sender = await newSender(world);
    await sender.watch([], type.id);
    const look = () => Promise.all([rules.watchSilence(), world.second.app.rules.watchSilence()]);
    return { world, devices, caller, type, sender, look, clock: world.server.clock };
  }

  test("a device that has spoken and is silent for longer than its type allows is one anomaly, which its next message ends", async () => {
    const { sender, look, clock } = await talker(300);
    clock.advance(301_000);
    await look();
    assert.deepEqual(await sender.anomalies(), [], "it was never seen");
    await sender.say({ a: 1 });
    clock.advance(300_000);
    await look();
    assert.deepEqual(await sender.anomalies(), []);
    clock.advance(1_000);
    await look();
    await look();
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
    await look();
    assert.deepEqual(
      (await sender.anomalies()).map(({ status }) => status),
      ["resolved", "open"],
    );
  });

  test("while the database was away nobody was silent", async () => {
    const { world, sender, clock } = await talker(300);
    const { database } = world.server.app;
    let away = false;
    const unreliable = {
      ...database,
      get db() {
        if (away) throw new Error("the database is away");
        return database.db;
      },
    };
    const patchy = createRules({ database: unreliable, clock, ids: randomIds });
    await sender.say({ a: 1 });
    await patchy.watchSilence();
    away = true;
    clock.advance(301_000);
    await assert.rejects(patchy.watchSilence());
    away = false;
    clock.advance(1_000);
    await patchy.watchSilence();
    assert.deepEqual(await sender.anomalies(), []);
    clock.advance(301_000);
    await patchy.watchSilence();
    assert.equal((await sender.anomalies()).length, 1);
  });

  test("silence means nothing where the type does not ask, and an anomaly of it ends when it asks no longer", async () => {
    const { world, devices, caller, type, sender, look, clock } = await talker(null);
    await sender.say({ a: 1 });
    clock.advance(3_600_000);
    await look();
    assert.deepEqual(await sender.anomalies(), []);
    await devices.updateDeviceType(caller, type.id, { silentForSeconds: 60 });
    await look();
    assert.equal((await sender.anomalies()).length, 1);
    await devices.updateDeviceType(caller, type.id, { silentForSeconds: null });
    await look();
    const [{ status, comment }] = await sender.anomalies();
    assert.deepEqual([status, comment], ["resolved", "No longer judged: the device type does not ask for it."]);
    for (const silentForSeconds of [0, -1, 1.5, 2_592_001])
      await assert.rejects(world.server.app.devices.updateDeviceType(caller, type.id, { silentForSeconds }), {
        code: "invalid_request",
        detail: "silentForSeconds",
      });
  });
}
