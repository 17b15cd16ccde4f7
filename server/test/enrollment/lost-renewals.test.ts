import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, HOUR, SECOND } from "../../src/lib/clock.ts";
import { sendValues } from "../harness/anomalies.ts";
import { enrollDevice, renew, type TestTenant } from "../harness/devices.ts";
import { type NotificationEnvironment, startEnvironment } from "../notifications/environment.ts";

/** Pages about certificates that are not renewed in time. Two processes poll if the database allows two. */
let env: NotificationEnvironment;
before(async () => {
  env = await startEnvironment();
});
after(() => env.stop());

const STEPS = [
  { afterMinutes: 0, notify: "shift" },
  { afterMinutes: 60, notify: "members" },
] as const;

/** Advances the clock, polls in both processes simultaneously and completes what is then due. */
async function pass(ms: number): Promise<void> {
  env.server.clock.advance(ms);
  await Promise.all([env.server, env.second].map(({ app }) => app.rules.pollLostRenewals()));
  await env.pass(0);
}

const joinGroups = (tenant: TestTenant, deviceId: string, ...addGroupIds: string[]) =>
  env.server.app.devices.changeDevice(tenant.caller, deviceId, { addGroupIds });

const anomaliesOf = async (tenant: TestTenant, deviceId: string) =>
  (await env.server.app.anomalies.listAnomalies(tenant.caller, { deviceId, skip: 0, limit: 9 })).items;

const subjectsTo = (email: string) => env.sinks.mailsTo(email).map(({ subject }) => subject);

test("a lost renewal pages the groups that request it, once per certificate, and is resolved by the renewal", async () => {
  const { server, newTenant, user, groupOnDuty } = env;
  const tenant = await newTenant();
  const [ada, bob, eve] = [await user(tenant, "ada"), await user(tenant, "bob"), await user(tenant, "eve")];
  const escalation = [...STEPS];
  const wanting = await groupOnDuty(tenant, { escalation, memberUserIds: [bob.id] }, [ada.id]);
  const other = await groupOnDuty(tenant, { name: "Office", escalation }, [eve.id]);
  assert.equal(wanting.pagesLostRenewals, false);
  await server.app.groups.updateGroup(tenant.caller, wanting.id, { pagesLostRenewals: true });
  const device = await enrollDevice(server, tenant);
  await joinGroups(tenant, device.deviceId, wanting.id, other.id);
  const unpaged = await enrollDevice(server, tenant, { hardwareFingerprint: "unpaged" });
  await joinGroups(tenant, unpaged.deviceId, other.id);

  await pass(22 * DAY);
  assert.deepEqual(subjectsTo(ada.email), []);
  await pass(1);
  await pass(0);
  const [anomaly, ...more] = await anomaliesOf(tenant, device.deviceId);
  assert.ok(anomaly);
  assert.deepEqual(more, []);
  const query = { cause: "renewal", skip: 0, limit: 9 } as const;
  assert.deepEqual((await server.app.anomalies.listAnomalies(tenant.caller, query)).items, [anomaly]);
  const due = new Date(server.clock.now().getTime() - DAY);
  assert.ok(new Date(String(anomaly.limit)) <= due && new Date(String(anomaly.value)) > server.clock.now());
  assert.match(
    anomaly.message,
    /^The device should have renewed its certificate on \d{4}-\d\d-\d\d; it ends on \d{4}-/,
  );
  assert.deepEqual(
    [anomaly.thresholdId, anomaly.ruleId, anomaly.metric, anomaly.severity, anomaly.status],
    [null, null, null, "major", "open"],
  );
  assert.deepEqual(await anomaliesOf(tenant, unpaged.deviceId), []);
  assert.equal(subjectsTo(ada.email).length, 1);
  assert.deepEqual([subjectsTo(bob.email), subjectsTo(eve.email)], [[], []]);
  await pass(HOUR);
  assert.deepEqual([subjectsTo(ada.email).length, subjectsTo(bob.email).length], [1, 1], "no user has acknowledged it");

  const { answer } = await renew(server, device);
  assert.equal(answer.status, 200, answer.text);
  await pass(0);
  const [resolved] = await anomaliesOf(tenant, device.deviceId);
  assert.deepEqual([resolved!.id, resolved!.status, resolved!.comment], [anomaly.id, "resolved", null]);
  assert.deepEqual([subjectsTo(ada.email).length, subjectsTo(bob.email).length], [2, 2], "of the end");
  await pass(22 * DAY + HOUR);
  assert.deepEqual(
    (await anomaliesOf(tenant, device.deviceId)).map(({ status }) => status),
    ["open", "resolved"],
    "the next certificate is another one",
  );
});

test("a bundle that ends within thirty days pages until the device has a later one", async () => {
  const { server, newTenant, user, groupOnDuty } = env;
  const { devices, enrollment } = server.app;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const group = await groupOnDuty(tenant, { escalation: [STEPS[0]], pagesLostRenewals: true }, [ada.id]);
  const { id } = await devices.createDevice(tenant.caller, { name: "Old pump", groupIds: [group.id] });
  await enrollment.issueBundle(tenant.caller, { deviceId: id });
  await pass(335 * DAY - SECOND);
  assert.deepEqual(await anomaliesOf(tenant, id), []);
  await pass(2 * SECOND);
  const [opened] = await anomaliesOf(tenant, id);
  assert.match(opened!.message, /^The device's bundle ends on \d{4}-\d\d-\d\d, and no new one is installed$/);
  assert.deepEqual([opened!.severity, subjectsTo(ada.email).length], ["minor", 1]);
  await enrollment.issueBundle(tenant.caller, { deviceId: id });
  await pass(0);
  assert.equal((await anomaliesOf(tenant, id))[0]!.status, "resolved");
});

test("an anomaly ends when no group requests the page any more, and its certificate does not page again", async () => {
  const { server, newTenant, user, groupOnDuty } = env;
  const { devices, enrollment, groups } = server.app;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const group = await groupOnDuty(tenant, { escalation: [...STEPS], pagesLostRenewals: true }, [ada.id]);
  const { id } = await devices.createDevice(tenant.caller, { name: "Old pump", groupIds: [group.id] });
  await enrollment.issueBundle(tenant.caller, { deviceId: id });
  await pass(336 * DAY);
  assert.equal((await anomaliesOf(tenant, id)).length, 1);
  await groups.updateGroup(tenant.caller, group.id, { pagesLostRenewals: false });
  await pass(0);
  const [ended] = await anomaliesOf(tenant, id);
  const comment = "No longer evaluated: no group of the device is paged about lost renewals any more.";
  assert.deepEqual([ended!.status, ended!.comment], ["resolved", comment]);
  await groups.updateGroup(tenant.caller, group.id, { pagesLostRenewals: true });
  await pass(0);
  assert.equal((await anomaliesOf(tenant, id)).length, 1);
});

test("a device that is silent and has lost its renewal has both anomalies, and its next message ends only the silence", async () => {
  const { server, newTenant, user, groupOnDuty } = env;
  const { devices, enrollment, rules } = server.app;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const group = await groupOnDuty(tenant, { escalation: [STEPS[0]], pagesLostRenewals: true }, [ada.id]);
  const fields = { name: "Sender", publishTopics: [], silentForSeconds: 60 };
  const { id: deviceTypeId } = await devices.createDeviceType(tenant.caller, fields);
  const { id } = await devices.createDevice(tenant.caller, { name: "Pump", groupIds: [group.id], deviceTypeId });
  await enrollment.issueBundle(tenant.caller, { deviceId: id });
  const where = { database: server.app.database, clock: server.clock };
  await sendValues(where, tenant.caller, id, { temperature: 20 });
  await pass(336 * DAY);
  await rules.pollSilence();
  const statuses = async () =>
    (await anomaliesOf(tenant, id)).map(({ severity, status }) => `${severity} ${status}`).sort();
  assert.deepEqual(await statuses(), ["major open", "minor open"]);
  await rules.pollSilence();
  await sendValues(where, tenant.caller, id, { temperature: 21 });
  await rules.pollSilence();
  await pass(0);
  assert.deepEqual(await statuses(), ["major resolved", "minor open"]);
});
