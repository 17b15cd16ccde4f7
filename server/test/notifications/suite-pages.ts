import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { connectMqtt, enrollDevice, newKey } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { callerForUser } from "../harness/shell-caller.ts";
import { HOT, type NotificationEnvironment } from "./environment.ts";

/** A webhook's body, as far as these tests read it. */
interface HookBody {
  type: string;
  data: { anomaly: { id: string }; device: { id: string; name: string } };
}

/** Declares the tests of who is paged, when, and with which message. */
export function pageRules(given: () => NotificationEnvironment): void {
  test("a reading over the limit is an anomaly when its PUBACK arrives, and a mail and a webhook call within 2 s", async () => {
    const { server, sinks, newTenant, user, groupOnDuty } = given();
    const tenant = await newTenant();
    const ada = await user(tenant, "ada");
    const crew = await groupOnDuty(tenant, { escalation: [{ afterMinutes: 0, notify: "shift" }] }, [ada.id]);
    const channels = [{ type: "webhook" as const, target: sinks.hookUrl("/prompt") }];
    const room = await groupOnDuty(tenant, { channels, escalation: [{ afterMinutes: 0, notify: "channels" }] }, []);
    const device = await enrollDevice(server, tenant);
    const metrics = ["temperature", "pressure", "vibration"];
    const rules = metrics.map((metric) => ({ ...HOT, metric }));
    const pack = await server.app.rules.createThreshold(tenant.caller, { name: "Bearings", rules });
    const watched = { name: "Pump 1", groupIds: [crew.id, room.id], thresholdIds: [pack.id] };
    await server.app.devices.replaceDevice(tenant.caller, device.deviceId, watched);
    const headers = { "x-api-key": await newKey(server, tenant, "anomalies:read") };
    const client = await connectMqtt(server, device);

    // The service's clock stands still, so none of this waits for a due time. A machine may be slow, but not always.
    const took: number[] = [];
    for (const [before, metric] of metrics.entries()) {
      const begun = performance.now();
      await client.publishAsync(device.topic, JSON.stringify({ [metric]: 95 }), { qos: 1 });
      const { json } = await https(`${server.httpUrl}/api/v1/anomalies`, { ca: server.ca, headers });
      assert.deepEqual([json.total, json.items[0].metric], [before + 1, metric]);
      await sinks.until(() => sinks.mailsTo(ada.email).length > before && sinks.hooksAt("/prompt").length > before);
      took.push(performance.now() - begun);
    }
    await client.endAsync();
    assert.ok(Math.min(...took) < 10 * SECOND, `${took} ms`);
    assert.match(sinks.mailsTo(ada.email)[0]!.text, new RegExp(`^Device +Pump 1 \\(${device.deviceId}\\)\r$`, "m"));
  });

  test("an anomaly notifies the shift by e-mail and calls a webhook signed as Standard Webhooks specifies", async () => {
    const { server, sinks, newTenant, user, groupOnDuty, anomalies, pass, log } = given();
    const tenant = await newTenant();
    const ada = await user(tenant, "ada");
    const target = sinks.hookUrl("/signed");
    const group = await groupOnDuty(
      tenant,
      { channels: [{ type: "webhook", target }], escalation: [{ afterMinutes: 0, notify: "shift" }] },
      [ada.id],
    );
    const other = await groupOnDuty(
      tenant,
      { channels: [{ type: "webhook", target }], escalation: [{ afterMinutes: 0, notify: "channels" }] },
      [],
    );
    const { deviceId, open } = await anomalies(tenant, [group.id, other.id]);
    const metrics = [{ metric: "temperature 0", label: "Bearing", unit: "bar" }];
    await server.app.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, { metrics });
    await server.app.devices.changeDevice(tenant.caller, deviceId, { deviceTypeId: tenant.deviceTypeId });
    const [anomaly] = await open();
    await sinks.until(() => sinks.mailsTo(ada.email).length > 0 && sinks.hooksAt("/signed").length > 0);
    await pass(0);

    const [mail] = sinks.mailsTo(ada.email);
    assert.equal(mail!.subject, "[Muster] CRITICAL: Pump 1: temperature 0 is above 90");
    assert.match(mail!.text, new RegExp(`^https://localhost:\\d+/anomalies/${anomaly!.id}$`, "m"));
    assert.match(mail!.text, /\(Europe\/Berlin\)/);
    assert.match(mail!.text, /^Metric +Bearing \(temperature 0\)\r\nValue +95 bar\r$/m);
    assert.match(mail!.headers, /^From: Muster <muster@localhost>\r$/m);

    const [hook] = sinks.hooksAt("/signed");
    const { secret } = await server.app.notifications.showWebhook(tenant.caller, { groupId: other.id, target });
    const received = new Webhook(secret).verify(hook!.body, hook!.headers) as HookBody;
    assert.deepEqual([received.type, received.data.anomaly.id], ["anomaly.opened", anomaly!.id]);
    assert.deepEqual(received.data.device, { id: deviceId, name: "Pump 1" });
    const wrong = await server.app.notifications.showWebhook(tenant.caller, { groupId: group.id, target });
    assert.throws(() => new Webhook(wrong.secret).verify(hook!.body, hook!.headers));
    assert.deepEqual(
      (await log(tenant, anomaly!.id)).map(({ id }) => id).sort(),
      [hook!.headers["webhook-id"], mail!.id].sort(),
    );
  });

  test("steps continue until the acknowledgement, and every recipient of the opening is notified of the resolution", async () => {
    const { server, sinks, newTenant, user, groupOnDuty, anomalies, pass } = given();
    const tenant = await newTenant();
    const [ada, bob, eve] = [await user(tenant, "ada"), await user(tenant, "bob"), await user(tenant, "eve")];
    const group = await groupOnDuty(
      tenant,
      {
        memberUserIds: [ada.id, bob.id, eve.id],
        channels: [{ type: "email", target: "plant@acme.example" }],
        escalation: [
          { afterMinutes: 0, notify: "shift" },
          { afterMinutes: 15, notify: "members" },
          { afterMinutes: 30, notify: "channels" },
        ],
      },
      [ada.id],
    );
    const { open, resolve } = await anomalies(tenant, [group.id]);
    await server.app.access.deactivateUser(await callerForUser(server.app.access, eve.email), eve.email);
    const [anomaly] = await open();
    const received = () =>
      [ada.email, bob.email, eve.email, "plant@acme.example"].map((to) => sinks.mailsTo(to).length);
    await pass(0);
    assert.deepEqual(received(), [1, 0, 0, 0]);
    await pass(15 * MINUTE - 1);
    assert.deepEqual(received(), [1, 0, 0, 0]);
    await pass(1);
    assert.deepEqual(received(), [2, 1, 0, 0]);
    await server.app.anomalies.acknowledgeAnomaly(tenant.caller, anomaly!.id);
    await pass(HOUR);
    assert.deepEqual(received(), [2, 1, 0, 0]);
    await resolve();
    await pass(0);
    assert.deepEqual(received(), [3, 2, 0, 0]);
    assert.equal(sinks.mailsTo(bob.email)[1]!.subject, "[Muster] RESOLVED: Pump 1: temperature 0 is above 90");
  });

  test("a resolved anomaly stops its pages, and a person in two groups is paged once", async () => {
    const { server, second, sinks, newTenant, user, groupOnDuty, anomalies, pass } = given();
    const tenant = await newTenant();
    const ada = await user(tenant, "ada");
    const escalation = [
      { afterMinutes: 0, notify: "shift" as const },
      { afterMinutes: 5, notify: "shift" as const },
    ];
    const ids = [];
    for (let n = 0; n < 2; n++) ids.push((await groupOnDuty(tenant, { escalation }, [ada.id])).id);
    const empty = await server.app.groups.createGroup(tenant.caller, { name: "Empty", escalation });
    const { open, resolve } = await anomalies(tenant, [...ids, empty.id]);
    await open();
    await pass(0);
    assert.equal(sinks.mailsTo(ada.email).length, 1);
    assert.ok(
      [...server.logs, ...second.logs].some(
        (line) => line.includes("a page reached nobody") && line.includes(empty.id),
      ),
    );
    await resolve();
    await pass(HOUR);
    const types = sinks.mailsTo(ada.email).map(({ subject }) => subject.slice(0, 17));
    assert.deepEqual(types, ["[Muster] CRITICAL", "[Muster] RESOLVED"]);
  });

  test("more than twenty mails per minute to one person become one digest", async () => {
    const { server, sinks, newTenant, user, groupOnDuty, anomalies, pass } = given();
    const tenant = await newTenant();
    const [ada, bob] = [await user(tenant, "ada"), await user(tenant, "bob")];
    const escalation = [{ afterMinutes: 0, notify: "shift" as const }];
    const first = await groupOnDuty(tenant, { escalation }, [ada.id]);
    const storm = await anomalies(tenant, [first.id], 50, { severity: "major" });
    await storm.open();
    await pass(0);
    assert.deepEqual(
      sinks.mailsTo(ada.email).map(({ subject }) => subject),
      ["[Muster] 50 messages"],
    );

    const next = await groupOnDuty(tenant, { escalation }, [bob.id]);
    const trickle = await anomalies(tenant, [next.id], 26, { severity: "major" });
    for (let n = 0; n < 25; n++) {
      await trickle.open(n, n + 1);
      await pass(0);
      server.clock.advance(SECOND);
    }
    assert.equal(sinks.mailsTo(bob.email).length, 20);
    await pass(35 * SECOND);
    const last = sinks.mailsTo(bob.email).at(-1)!;
    assert.deepEqual([sinks.mailsTo(bob.email).length, last.subject], [21, "[Muster] 5 messages"]);

    // Simulates a clock that was set back by two hours since.
    const later = "UPDATE deliveries SET claimed_at = claimed_at + interval '2 hours' WHERE target = $1";
    await runSql(server.app.database.db, later, [bob.email]);
    await trickle.open(25);
    await pass(0);
    assert.equal(sinks.mailsTo(bob.email).length, 22);
  });

  test("current on-call duties, those of a week, and uncovered hours are listed for a group and a device", async () => {
    const { server, newTenant, user, groupOnDuty, anomalies } = given();
    const { notifications, groups } = server.app;
    const tenant = await newTenant();
    const ada = await user(tenant, "ada");
    const escalation = [{ afterMinutes: 0, notify: "shift" as const }];
    const full = await groupOnDuty(tenant, { escalation }, [ada.id], "UTC");
    const bare = await groups.createGroup(tenant.caller, { name: "Bare", escalation });
    const { deviceId } = await anomalies(tenant, [full.id, bare.id]);
    const of = await notifications.onCallOfGroup(tenant.caller, full.id);
    assert.deepEqual([of.now.length, of.gaps], [1, []]);
    assert.deepEqual(of.now[0]!.users, [ada]);
    assert.ok(of.duties.length === 8 || of.duties.length === 7);
    const none = await notifications.onCallOfGroup(tenant.caller, bare.id);
    assert.deepEqual([none.now, none.gaps.length], [[], 1]);
    await groups.createGroup(tenant.caller, { name: "No escalation on purpose" });
    const uncovered: string[] = [];
    for await (const what of notifications.uncoveredGroups()) uncovered.push(what);
    assert.ok(uncovered.includes(`group ${bare.id} (Bare)`) && !uncovered.some((what) => what.includes(full.id)));
    assert.ok(!uncovered.some((what) => what.includes("on purpose")));
    assert.deepEqual((await notifications.onCallOfDevice(tenant.caller, deviceId)).gaps, []);
    const other = await newTenant();
    await assert.rejects(notifications.onCallOfGroup(other.caller, full.id), { code: "not_found" });
    await assert.rejects(notifications.onCallOfDevice(other.caller, deviceId), { code: "not_found" });
    const memberOf = await groups.createGroup(tenant.caller, { name: "Ada's", memberUserIds: [ada.id] });
    const rights = { kind: "user", userId: ada.id, role: "operator" } as const;
    const caller = { ...tenant.caller, actor: `user:${ada.id}`, rights };
    assert.deepEqual((await notifications.onCallOfGroup(caller, memberOf.id)).now, []);
    await assert.rejects(notifications.onCallOfGroup(caller, full.id), { code: "not_found" });
  });
}
