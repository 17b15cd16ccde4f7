import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { runRaw } from "../../src/db/database.ts";
import { HOT, NOWHERE, observed, type World } from "./world.ts";

/** From the first observation of a fault to its end. */
export function anomalyRules(given: () => World): void {
  test("an anomaly opens once a device and rule; what is observed meanwhile is counted into it; its end makes room", async () => {
    const { server, tenant, ask, newDevice, newPack } = given();
    const { rules } = server.app;
    const device = await newDevice(tenant);
    const pack = await newPack(tenant, HOT, { ...HOT, operator: "ne", value: "run", message: "Stopped" });
    const opened = await rules.openAnomalies([
      observed(device.uid, pack, 91),
      observed(device.uid, pack, 92),
      observed(device.uid, pack, 1, 1),
    ]);
    assert.deepEqual(
      opened.map(({ isNew, value, occurrences, message }) => [isNew, value, occurrences, message]),
      [
        [true, 92, 2, "temperature is above 90"],
        [true, 1, 1, "Stopped"],
      ],
    );
    const openedAt = server.clock.now();
    server.clock.advance(5_000);
    const [again] = await rules.openAnomalies([observed(device.uid, pack, 95)]);
    assert.equal(again!.isNew, false);
    const { json } = await ask("GET", `anomalies/${opened[0]!.id}`);
    assert.deepEqual(json, {
      id: opened[0]!.id,
      deviceId: device.id,
      thresholdId: pack.id,
      ruleId: pack.rules[0]!.id,
      metric: "temperature",
      value: 95,
      limit: 90,
      severity: "major",
      status: "open",
      message: "temperature is above 90",
      openedAt: openedAt.toISOString(),
      lastObservedAt: server.clock.now().toISOString(),
      occurrences: 3,
      acknowledgedAt: null,
      acknowledgedBy: null,
      comment: null,
      resolvedAt: null,
      resolvedBy: null,
      ticketId: null,
    });

    const watch = { deviceUid: device.uid, ruleId: pack.rules[0]!.id };
    const resolved = await rules.resolveAnomalies("system", [watch, watch, { ...watch, ruleId: NOWHERE }]);
    assert.deepEqual(
      resolved.map(({ id, status, resolvedBy }) => [id, status, resolvedBy]),
      [[json.id, "resolved", "system"]],
    );
    assert.deepEqual(await rules.resolveAnomalies("system", [watch]), []);
    const [fresh] = await rules.openAnomalies([observed(device.uid, pack, 99)]);
    assert.equal(fresh!.isNew, true);
    assert.notEqual(fresh!.id, json.id);
    assert.deepEqual(await rules.openAnomalies([]), []);
  });

  test("simultaneous observations of one fault open one anomaly between them, in whichever process they arrive", async () => {
    const { server, second, tenant, ask, newDevice, newPack } = given();
    const device = await newDevice(tenant);
    const pack = await newPack(tenant, HOT, { ...HOT, metric: "pressure" });
    const apps = [server.app, second.app];
    const batches = await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const both = [observed(device.uid, pack, 91 + at), observed(device.uid, pack, 91 + at, 1)];
        return apps[at % 2]!.rules.openAnomalies(at % 3 === 0 ? both.reverse() : both);
      }),
    );
    const all = batches.flat();
    assert.equal(new Set(all.map(({ id }) => id)).size, 2);
    assert.equal(all.filter(({ isNew }) => isNew).length, 2);
    const { json } = await ask("GET", `anomalies?deviceId=${device.id}`);
    assert.deepEqual(
      json.items.map(({ occurrences }: { occurrences: number }) => occurrences),
      [20, 20],
    );
  });

  test("who does not see a device does not see its anomaly", async () => {
    const { server, tenant, newDevice, newPack } = given();
    const { id: userId } = await server.app.access.createUser(await server.app.access.systemCaller(tenant.slug), {
      email: `op@${tenant.slug}.example`,
      role: "operator",
    });
    const group = await server.app.groups.createGroup(tenant.caller, { name: "mine", memberUserIds: [userId] });
    const [seen, unseen] = [await newDevice(tenant, [group.id]), await newDevice(tenant)];
    const pack = await newPack(tenant);
    const [one, two] = await server.app.rules.openAnomalies([
      observed(seen.uid, pack, 91),
      observed(unseen.uid, pack, 91),
    ]);
    const visible = one!.deviceId === seen.id ? one! : two!;
    const hidden = visible === one ? two! : one!;
    const operator: Caller = {
      ...tenant.caller,
      actor: `user:${userId}`,
      rights: { kind: "user", userId, role: "operator" },
    };
    const { anomalies } = server.app;
    const list = (more = {}) => anomalies.listAnomalies(operator, { skip: 0, limit: 50, ...more });
    assert.deepEqual(
      (await list()).items.map(({ id }) => id),
      [visible.id],
    );
    assert.equal((await list({ status: "open" })).total, 1);
    assert.equal((await list({ deviceId: unseen.id })).total, 0);
    await assert.rejects(anomalies.getAnomaly(operator, hidden.id), { code: "not_found" });
    await assert.rejects(anomalies.acknowledgeAnomaly(operator, hidden.id), { code: "not_found" });
    assert.equal((await anomalies.acknowledgeAnomaly(operator, visible.id)).acknowledgedBy, `user:${userId}`);
  });

  test("a deleted device is watched no longer: its anomalies end, its packs are taken off, and nothing opens for it", async () => {
    const { server, second, tenant, newDevice, newPack } = given();
    const { anomalies, rules, enrollment, devices, database } = server.app;
    const pack = await newPack(tenant);
    for (let round = 0; round < 5; round++) {
      const device = await newDevice(tenant);
      await devices.replaceDevice(tenant.caller, device.id, { name: "x", thresholdIds: [pack.id] });
      const [first] = await rules.openAnomalies([observed(device.uid, pack, 91)]);
      const watch = { deviceUid: device.uid, ruleId: pack.rules[0]!.id };
      await Promise.all([
        second.app.rules.resolveAnomalies("system", [watch]),
        enrollment.deleteDevice(tenant.caller, device.id),
        ...Array.from({ length: 4 }, () => second.app.rules.openAnomalies([observed(device.uid, pack, 92)])),
      ]);
      assert.deepEqual(await rules.openAnomalies([observed(device.uid, pack, 93)]), []);
      const { items } = await anomalies.listAnomalies(tenant.caller, { skip: 0, limit: 50, deviceId: device.id });
      assert.ok(items.some(({ id }) => id === first!.id));
      for (const { status, resolvedBy } of items) assert.deepEqual([status, resolvedBy], ["resolved", "system"]);
      const left = await runRaw(database.db, "SELECT FROM device_thresholds WHERE device_uid = $1", [device.uid]);
      assert.equal(left.length, 0);
    }
  });

  test("the database itself holds to the states of an anomaly and to its tenant", async () => {
    const { server, tenant, stranger, newDevice, newPack } = given();
    const device = await newDevice(tenant);
    const pack = await newPack(tenant);
    const foreign = await newPack(stranger);
    const [{ id } = { id: "" }] = await server.app.rules.openAnomalies([observed(device.uid, pack, 91)]);
    const { db } = server.app.database;
    const change = (set: string) => runRaw(db, `UPDATE anomalies SET ${set} WHERE id = $1`, [id]);
    const by = "acknowledged_at = now(), acknowledged_by = 'x'";
    for (const set of [
      "status = 'acknowledged'",
      "status = 'resolved'",
      by,
      "resolved_at = now(), resolved_by = 'x'",
      "status = 'resolved', resolved_at = now()",
      "comment = 'x'",
      "status = 'closed'",
      "occurrences = 0",
    ])
      await assert.rejects(change(set), { code: "23514" }, set);
    await assert.rejects(server.app.rules.openAnomalies([observed(device.uid, foreign, 91)]), { code: "23503" });
    await change("status = 'resolved', resolved_at = now(), resolved_by = 'x'");
    await assert.rejects(change("status = 'open', resolved_at = NULL, resolved_by = NULL"), { code: "23514" });
    await assert.rejects(
      runRaw(db, "INSERT INTO device_thresholds VALUES ($1, $2, $3)", [tenant.caller.tenantId, device.uid, foreign.id]),
      { code: "23503" },
    );
  });
}
