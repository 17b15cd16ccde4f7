import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { MINUTE } from "../../src/lib/clock.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

const SILENT_FOR = 300;

/** A tenant whose ada is on duty for devices, each named by its id, that depend on the named others. */
async function plant(devices: Readonly<Record<string, string | null>>) {
  const { newTenant, user, groupOnDuty, sinks, server } = given;
  const { app, clock } = server;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const group = await groupOnDuty(tenant, { escalation: [{ afterMinutes: 0, notify: "shift" }] }, [ada.id]);
  const watched = { name: "Watched", publishTopics: [], silentForSeconds: SILENT_FOR };
  const { id: deviceTypeId } = await app.devices.createDeviceType(tenant.caller, watched);
  for (const [id, dependsOn] of Object.entries(devices)) {
    await app.devices.createDevice(tenant.caller, { id, name: id, deviceTypeId, groupIds: [group.id] });
    const metadata = dependsOn === null ? {} : { dependsOn };
    await app.devices.replaceDevice(tenant.caller, id, { name: id, deviceTypeId, groupIds: [group.id], metadata });
  }
  /** Records that these devices spoke just now. */
  const speak = async (...ids: string[]) => {
    await sql`
      UPDATE devices SET connectivity = 'offline', connectivity_since = ${clock.now()}, last_seen_at = ${clock.now()}
       WHERE tenant_id = ${tenant.caller.tenantId} AND id = ANY (${ids}::text[])`.execute(app.database.db);
    await app.rules.pollSilence();
  };
  /** Makes all devices fall silent but these. */
  const fallSilent = async (...but: string[]) => {
    await speak(...Object.keys(devices));
    clock.advance(SILENT_FOR * 1000 + 1000);
    if (but.length > 0) await speak(...but);
    await app.rules.pollSilence();
  };
  const pages = () =>
    sinks
      .mailsTo(ada.email)
      .map(({ subject }) => subject)
      .filter((subject) => !subject.includes("RESOLVED"));
  return { tenant, app, speak, fallSilent, pages };
}

/** Lets the wait for other silences pass, and then the time until held pages are considered again. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) await given.pass(MINUTE);
}

test("a silent gateway pages once and names the silent devices that depend on it, which do not page", async () => {
  const { fallSilent, pages, app, tenant } = await plant({
    gateway: null,
    "sensor-1": "gateway",
    "sensor-2": "gateway",
    other: null,
  });
  await fallSilent("other");
  await pass(8);
  assert.equal(pages().length, 1, pages().join("\n"));
  assert.match(pages()[0]!, /gateway.*2 devices that depend on it are silent too: sensor-1, sensor-2/s);
  const { items } = await app.anomalies.listAnomalies(tenant.caller, { status: "open", skip: 0, limit: 10 });
  assert.deepEqual(items.map(({ deviceId }) => deviceId).toSorted(), ["gateway", "sensor-1", "sensor-2"]);
  const sensor = items.find(({ deviceId }) => deviceId === "sensor-1")!;
  const steps = await app.notifications.listPages(tenant.caller, sensor.id);
  assert.deepEqual(
    steps.map(({ state, heldBy }) => [state, heldBy]),
    [["due", "dependency"]],
  );
});

test("a device that stays silent when its gateway has returned pages within five minutes", async () => {
  const { fallSilent, speak, pages } = await plant({ gateway: null, "sensor-1": "gateway", "sensor-2": "gateway" });
  await fallSilent();
  await pass(3);
  assert.equal(pages().length, 1);
  await speak("gateway", "sensor-2");
  await pass(6);
  assert.equal(pages().length, 2, pages().join("\n"));
  assert.match(pages()[1]!, /sensor-1/);
});

test("silence is not held back by a gateway that speaks, that does not exist or about which nobody is told", async () => {
  const { fallSilent, pages, app, tenant } = await plant({
    speaking: null,
    untold: null,
    "sensor-1": "speaking",
    "sensor-2": "nowhere",
    "sensor-3": "untold",
  });
  const { tenantId } = tenant.caller;
  await app.access.updateTenant(tenant.caller, { causeWaitMinutes: 0 });
  await sql`DELETE FROM device_groups WHERE device_uid IN (
    SELECT uid FROM devices WHERE tenant_id = ${tenantId} AND id = 'untold')`.execute(app.database.db);
  await fallSilent("speaking");
  await given.pass(0);
  for (const sensor of ["sensor-1", "sensor-2", "sensor-3"])
    assert.equal(pages().filter((subject) => subject.includes(sensor)).length, 1, `${sensor} in ${pages().join("\n")}`);
});

test("devices that depend on one another all page, and one that depends on them is held back", async () => {
  const { fallSilent, pages, app, tenant } = await plant({ a: "c", b: "a", c: "b", leaf: "a" });
  await app.access.updateTenant(tenant.caller, { causeWaitMinutes: 0 });
  await fallSilent();
  await given.pass(0);
  await pass(8);
  assert.equal(pages().length, 3, pages().join("\n"));
  assert.ok(!pages().some((subject) => /\bleaf: /.test(subject)));
});

test("devices of a loop page however long it is, and so does one at the end of a chain too long to search", async () => {
  const names = Array.from({ length: 12 }, (_, at) => `link-${at + 10}`);
  const loop = Object.fromEntries(names.map((name, at) => [name, names.at(at - 1)!]));
  const { fallSilent, pages, app, tenant } = await plant({ ...loop, leaf: names[0]! });
  await app.access.updateTenant(tenant.caller, { causeWaitMinutes: 0 });
  await fallSilent();
  await given.pass(0);
  await pass(8);
  for (const name of [...names, "leaf"])
    assert.equal(pages().filter((subject) => subject.includes(`${name}: `)).length, 1, name);
});
