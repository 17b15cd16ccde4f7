import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { addMs, MINUTE } from "../../src/lib/clock.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

let given: NotificationEnvironment;
before(async () => {
  given = await startEnvironment();
});
after(async () => await given.stop());

const SILENT_FOR = 300;
const STEPS = [
  { afterMinutes: 0, notify: "shift" as const },
  { afterMinutes: 15, notify: "shift" as const },
];

/** Decodes a subject that has characters beyond ASCII (RFC 2047). */
function decoded(subject: string): string {
  if (!subject.startsWith("=?UTF-8?Q?")) return subject;
  const words = subject.split(" ").map((word) => word.slice("=?UTF-8?Q?".length, -"?=".length));
  return words
    .join("")
    .replaceAll("_", " ")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** A tenant with ada on duty for `count` devices, of which the first `behind` are behind one router. */
async function plant(count: number, behind: number) {
  const { newTenant, user, groupOnDuty, sinks, server } = given;
  const { app, clock } = server;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const group = await groupOnDuty(tenant, { escalation: STEPS }, [ada.id]);
  const name = { name: "Pump", publishTopics: [], silentForSeconds: SILENT_FOR };
  const type = await app.devices.createDeviceType(tenant.caller, name);
  const { db } = app.database;
  const node = randomUUID();
  await sql`
    WITH added AS (
      INSERT INTO devices (uid, tenant_id, id, name, device_type_id, created_at, updated_at)
      SELECT gen_random_uuid(), ${tenant.caller.tenantId}::uuid, 'unit-' || n, 'Pump ' || n, ${type.id}::uuid, ${clock.now()}::timestamptz, ${clock.now()}::timestamptz
        FROM generate_series(0, ${count - 1}) n RETURNING uid)
    INSERT INTO device_groups (device_uid, group_id)
    SELECT uid, ${group.id}::uuid FROM added`.execute(db);
  await sql`
    INSERT INTO device_origins (device_uid, node_id, remote_address)
    SELECT d.uid, ${node}::uuid, CASE WHEN substr(d.id, 6)::int < ${behind} THEN '203.0.113.' || (10 + substr(d.id, 6)::int % 200)
           ELSE '10.' || substr(d.id, 6)::int / 200 || '.' || substr(d.id, 6)::int % 200 || '.7' END
      FROM devices d WHERE d.tenant_id = ${tenant.caller.tenantId}`.execute(db);
  /** Records that these devices spoke just now. */
  const speak = async (from: number, to: number) => {
    await sql`
      UPDATE devices SET connectivity = 'offline', connectivity_since = ${clock.now()}, last_seen_at = ${clock.now()}
       WHERE tenant_id = ${tenant.caller.tenantId} AND substr(id, 6)::int BETWEEN ${from} AND ${to - 1}`.execute(db);
    await app.rules.pollSilence();
  };
  const mails = () => sinks.mailsTo(ada.email).map(({ subject }) => decoded(subject));
  const openCount = async () => {
    const { total } = await app.anomalies.listAnomalies(tenant.caller, { status: "open", skip: 0, limit: 1 });
    return total;
  };
  return { tenant, group, speak, openCount, mails, app, clock };
}

test("devices that fall silent behind one router have one page with the cause, and others page alone", async () => {
  const { tenant, speak, openCount, mails, app, clock } = await plant(24, 12);
  await speak(0, 24);
  clock.advance(SILENT_FOR * 1000 + 1000);
  await speak(13, 24);
  await app.rules.pollSilence();
  assert.equal(await openCount(), 13);
  await given.pass(0);
  assert.deepEqual(mails(), [], "they wait for others");
  await given.pass(2 * MINUTE);
  await given.pass(MINUTE);
  assert.equal(mails().length, 2, mails().join("\n"));
  const page = mails().find((subject) => subject.includes("203.0.113.0/24"));
  const { items: anomalies } = await app.anomalies.listAnomalies(tenant.caller, {
    deviceId: "unit-3",
    skip: 0,
    limit: 1,
  });
  await speak(0, 1);
  const { outage, items, total } = await app.notifications.getOutage(tenant.caller, anomalies[0]!.id, {
    skip: 0,
    limit: 20,
  });
  assert.deepEqual([outage?.kind, outage?.value, outage?.explained], ["block", "203.0.113.0/24", 12]);
  assert.deepEqual([total, items.length, items.at(-1)?.deviceId], [12, 12, "unit-0"], "the silent ones come first");
  assert.deepEqual(
    items.map(({ resolvedAt }) => resolvedAt === null),
    [...Array(11).fill(true), false],
  );
  assert.match(page ?? "", /13 devices: silent since \d\d:\d\d UTC: 12 behind 203\.0\.113\.0\/24 \(12 of 12 there\)/);
});

test("a critical anomaly of another device pages at once while silences wait", async () => {
  const { speak, mails, app, clock, tenant, group } = await plant(24, 12);
  await speak(0, 24);
  clock.advance(SILENT_FOR * 1000 + 1000);
  await speak(12, 24);
  await app.rules.pollSilence();
  const { open } = await given.anomalies(tenant, [group.id]);
  await open();
  await given.pass(0);
  assert.equal(mails().length, 1);
  assert.match(mails()[0]!, /CRITICAL/);
});

test("a replay without a wait for others pages the devices of an outage one by one", async () => {
  const { tenant, group, speak, app, clock } = await plant(24, 12);
  await speak(0, 24);
  clock.advance(SILENT_FOR * 1000 + 1000);
  await speak(12, 24);
  await app.rules.pollSilence();
  await given.pass(2 * MINUTE);
  const period = { from: addMs(clock.now(), -5 * MINUTE), to: clock.now() };
  const { present, changed } = await app.notifications.replayPaging(tenant.caller, group.id, {
    ...period,
    causeWaitMinutes: 0,
  });
  assert.deepEqual([present.paged, present.held], [1, 11]);
  assert.deepEqual([changed.paged, changed.held, changed.medianSeconds], [12, 0, 0]);
});

test("a tenant that waits for none pages every silence at once", async () => {
  const { speak, mails, app, clock, tenant } = await plant(8, 6);
  await app.access.updateTenant(tenant.caller, { causeWaitMinutes: 0 });
  await speak(0, 8);
  clock.advance(SILENT_FOR * 1000 + 1000);
  await speak(3, 8);
  await app.rules.pollSilence();
  await given.pass(0);
  assert.equal(mails().length, 3);
});

for (const [whose, told] of [
  ["one that stood for all", 1],
  ["only others", 2],
] as const)
  test(`when most devices of an outage have returned, the silent ones page by themselves: ${whose}`, async () => {
    const { speak, openCount, mails, app, clock } = await plant(24, 12);
    await speak(0, 24);
    clock.advance(SILENT_FOR * 1000 + 1000);
    await speak(12, 24);
    await app.rules.pollSilence();
    await given.pass(2 * MINUTE);
    const [first, ...none] = mails();
    assert.deepEqual(none, []);
    const silent = devicesNamedIn(first!);
    assert.equal(silent.length, 12);
    // The first device of the page stands for all, so it was told of.
    const returned = told === 1 ? silent.slice(2) : silent.slice(0, -2);
    for (const device of returned) await speak(device, device + 1);
    // The service's own poll may have taken some of the devices, and not be done with them.
    while ((await openCount()) > 2) await app.rules.pollSilence();
    await given.pass(5 * MINUTE);
    await given.pass(MINUTE);
    const pages = mails().filter((subject) => !subject.includes("RESOLVED"));
    assert.equal(pages.length, 1 + told, pages.join("\n"));
  });

function devicesNamedIn(subject: string): number[] {
  return [...subject.matchAll(/Pump (\d+)/g)].map(([, number]) => Number(number));
}

test("1,000 devices behind one network have one page that counts them all, from whichever process", async () => {
  const { speak, openCount, mails, app, clock } = await plant(2_500, 1_000);
  await speak(0, 2_500);
  clock.advance(SILENT_FOR * 1000 + 1000);
  await speak(1_000, 2_500);
  while ((await openCount()) < 1_000) await app.rules.pollSilence();
  await given.pass(0);
  await given.pass(2 * MINUTE);
  await given.pass(5 * MINUTE);
  assert.equal(mails().length, 1, mails().slice(0, 3).join("\n"));
  assert.match(mails()[0]!, /1000 devices: silent since .* all behind 203\.0\.113\.0\/24 \(1000 of 1000 there\)/);
});
