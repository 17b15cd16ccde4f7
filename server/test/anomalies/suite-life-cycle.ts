import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { type Environment, HOT } from "../rules/environment.ts";
import { newSender, newSenderOf, packOf } from "../rules/sender.ts";

/** The life of an anomaly, from the first breach of a rule to its resolution. */
export function lifeCycleRules(given: () => Environment): void {
  test("a device and rule have one unresolved anomaly, which counts further breaches; the first breach after its resolution opens another", async () => {
    const env = given();
    const { server, ask } = env;
    const pack = await packOf(env, HOT, {
      ...HOT,
      metric: "state",
      operator: "ne",
      value: "run",
      message: "Stopped",
    });
    const sender = await newSender(env, pack);
    await sender.send([{ temperature: 91, state: "stop" }, { temperature: 92 }]);
    const opened = (await sender.anomalies()).sort((a, b) => a.message.localeCompare(b.message));
    assert.deepEqual(
      opened.map(({ value, occurrences, message }) => [value, occurrences, message]),
      [
        ["stop", 1, "Stopped"],
        [92, 2, "temperature is above 90"],
      ],
    );
    const { id } = opened[1];
    const openedAt = server.clock.now();
    server.clock.advance(5_000);
    await sender.say({ temperature: 95 });
    const { json } = await ask("GET", `anomalies/${id}`);
    assert.deepEqual(json, {
      id,
      deviceId: sender.id,
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

    await sender.say({ temperature: 20 }, 1);
    const resolved = (await ask("GET", `anomalies/${id}`)).json;
    assert.deepEqual([resolved.status, resolved.resolvedBy, resolved.occurrences], ["resolved", "system", 3]);
    server.clock.advance(1_000);
    await sender.say({ temperature: 20 }, 2);
    assert.deepEqual((await ask("GET", `anomalies/${id}`)).json, resolved);
    await sender.say({ temperature: 99 }, 3);
    const again = (await sender.anomalies()).at(-1);
    assert.notEqual(again.id, id);
    assert.deepEqual([again.ruleId, again.status, again.value], [pack.rules[0]!.id, "open", 99]);
  });

  test("simultaneous breaches at two processes open one anomaly, which counts each breach once", async () => {
    const env = given();
    const { server, second } = env;
    const pack = await packOf(env, HOT, { ...HOT, metric: "pressure" });
    const processes = [server.app.telemetry, second.app.telemetry];
    const senders = await Promise.all(Array.from({ length: 3 }, () => newSender(env, pack)));
    const rounds = 10;
    for (let round = 0; round < rounds; round++) {
      const values = { temperature: 91 + round, pressure: 91 + round };
      // The second of two readings with the same timestamp is a repetition, whichever process stores it.
      await Promise.all(senders.flatMap((sender) => processes.map((by) => sender.say(values, round, by))));
    }
    for (const sender of senders) {
      const anomalies = await sender.anomalies();
      assert.deepEqual(
        anomalies.map(({ status, occurrences }) => [status, occurrences]),
        [
          ["open", rounds],
          ["open", rounds],
        ],
      );
    }
  });

  test("a user who does not see a device does not see its anomaly", async () => {
    const env = given();
    const { server, tenant } = env;
    const { id: userId } = await server.app.access.createUser(await server.app.access.systemCaller(tenant.slug), {
      email: `op@${tenant.slug}.example`,
      role: "operator",
    });
    const group = await server.app.groups.createGroup(tenant.caller, { name: "mine", memberUserIds: [userId] });
    const pack = await packOf(env, HOT);
    const [seen, unseen] = [await newSenderOf(env, tenant, [pack], [group.id]), await newSender(env, pack)];
    for (const sender of [seen, unseen]) await sender.say({ temperature: 91 });
    const [visible] = await seen.anomalies();
    const [hidden] = await unseen.anomalies();
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

  test("deleting a device resolves its anomalies and unassigns its packs, and no anomaly opens for it afterwards", async () => {
    const env = given();
    const { server, second, tenant } = env;
    const pack = await packOf(env, HOT);
    for (let round = 0; round < 5; round++) {
      const sender = await newSender(env, pack);
      await sender.say({ temperature: 91 });
      const [first] = await sender.anomalies();
      await Promise.all([
        sender.say({ temperature: 20 }, 1, second.app.telemetry),
        server.app.enrollment.deleteDevice(tenant.caller, sender.id),
        ...Array.from({ length: 4 }, (_, n) => sender.say({ temperature: 92 }, 2 + n, second.app.telemetry)),
      ]);
      const before = await sender.anomalies();
      await sender.say({ temperature: 93 }, 10);
      const anomalies = await sender.anomalies();
      assert.deepEqual(anomalies, before);
      assert.ok(anomalies.some(({ id }) => id === first.id));
      for (const { status, resolvedBy } of anomalies) assert.deepEqual([status, resolvedBy], ["resolved", "system"]);
      const left = "SELECT FROM device_thresholds WHERE device_uid = $1";
      assert.equal((await runSql(server.app.database.db, left, [sender.uid])).length, 0);
    }
  });

  test("the database refuses contradicting states of an anomaly and another tenant's pack", async () => {
    const env = given();
    const { server, tenant, otherTenant } = env;
    const foreign = await env.newPack(otherTenant);
    const sender = await newSender(env, await packOf(env, HOT));
    await sender.say({ temperature: 91 });
    const [{ id }] = await sender.anomalies();
    const { db } = server.app.database;
    const change = (set: string) => runSql(db, `UPDATE anomalies SET ${set} WHERE id = $1`, [id]);
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
      "end_reason = 'pack_deleted'",
    ])
      await assert.rejects(change(set), { code: "23514" }, set);
    const copied = "tenant_id, device_uid, device_id, metric, value, breached, severity, message, opened_at";
    const copy = `INSERT INTO anomalies (id, threshold_id, rule_id, ${copied}, last_observed_at, occurrences)
      SELECT gen_random_uuid(), $2, gen_random_uuid(), ${copied}, opened_at, 1 FROM anomalies WHERE id = $1`;
    await assert.rejects(runSql(db, copy, [id, foreign.id]), { code: "23503" });
    await change("status = 'resolved', resolved_at = now(), resolved_by = 'x'");
    await assert.rejects(change("status = 'open', resolved_at = NULL, resolved_by = NULL"), { code: "23514" });
    await assert.rejects(
      runSql(db, "INSERT INTO device_thresholds VALUES ($1, $2, $3)", [tenant.caller.tenantId, sender.uid, foreign.id]),
      { code: "23503" },
    );
  });
}
