import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { addMs, DAY, HOUR, SECOND } from "../../src/lib/clock.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { connectMqtt, enrollDevice, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { brokenWords } from "../harness/http/broken-words.ts";
import {
  APP,
  assertFits,
  assertSoundInAllViews,
  browserTest,
  DESKTOP,
  openPage,
  PHONE,
  useSession,
  type Watched,
} from "../harness/http/browser.ts";
import { https } from "../harness/http/https.ts";
import { smallTargets } from "../harness/http/touch-targets.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

/**
 * Opens every screen of the app, with records, in both colour schemes and both widths, and in German on a phone, where
 * its longer words must fit. Axe finds nothing, nothing scrolls horizontally, no line break divides a word of a table,
 * and there are no errors. The behaviour of the screens is tested elsewhere. A new route needs a row here.
 */
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
/** The ids of the tenant's records. */
const ids: Record<string, string> = {};

before(async () => {
  // All screens are opened in one session, within one minute of a clock that stands still.
  server = await startServer({ env: { MUSTER_LIMIT_SESSION_REQUESTS_PER_MINUTE: "10000" } });
  const { access, devices } = server.app;
  await access.createTenant({ slug: "acme", name: "Acme Pumps" });
  const caller = await access.systemCaller("acme");
  // The first user runs the installation.
  admin = await signIn(server, { caller });
  const type = await devices.createDeviceType(caller, { name: "Pump", publishTopics: ["telemetry/{deviceId}"] });
  tenant = { slug: "acme", caller, deviceTypeId: type.id, admin: { id: admin.userId, email: admin.email } };
  await fill();
});
after(() => server?.stop());

/** Creates a record of each kind that a screen shows. */
async function fill(): Promise<void> {
  const { access, connections, devices, enrollment, groups, identity, rules, tickets } = server.app;
  const { caller, deviceTypeId } = tenant;
  const escalation = [{ afterMinutes: 0, notify: "members" as const }];
  const { id: group } = await groups.createGroup(caller, {
    name: "Pump hall",
    memberUserIds: [admin.userId],
    escalation,
  });
  const device = await enrollDevice(server, tenant);
  await publish(device);
  await assert.rejects(connectMqtt(server, device, { clientId: "another" }));
  const metadata = { hall: 3, maker: "Example Pumps" };
  const fields = { description: "Feeds the boiler", deviceTypeId, groupIds: [group], metadata };
  await devices.replaceDevice(caller, device.deviceId, { name: "Feed pump 1", ...fields });
  server.clock.advance(1_000);
  const anomaly = await addAnomaly({ database: server.app.database, clock: server.clock }, caller, device.deviceId, 95);
  const assigned = { anomalyId: anomaly, assigneeUserId: admin.userId, dueAt: server.clock.now() };
  const ticket = await tickets.openTicket(caller, { title: "Replace the bearing", priority: "urgent", ...assigned });
  await tickets.openTicket(caller, { title: "Grease the bearings of the press", groupId: group });
  await tickets.commentTicket(caller, ticket.id, "The bearing is ordered.");
  await server.app.notifications.runDue();
  await devices.createDevice(caller, { id: "press-7", name: "Press 7", deviceTypeId });
  const bundle = await enrollment.issueBundle(caller, { deviceId: "press-7" });
  const wanted = { intendedName: "Feed pump 2", intendedGroupIds: [group], intendedDeviceTypeId: deviceTypeId };
  const claim = await enrollment.createClaim(caller, wanted);
  const clients = { publish: [], subscribe: ["t/acme/telemetry/+"] };
  for (const name of ["scada", "former"])
    await connections.createMqttClient(caller, { clientId: name, username: name, ...clients });
  await connections.disableMqttClient(caller, "former");
  const { key } = await access.createKey(caller, { user: admin.email, name: "SCADA", scopes: ["groups:*"] });
  const headers = { "x-api-key": key };
  await https(`${server.httpUrl}/api/v1/groups`, { ca: server.ca, headers, body: { name: "Press hall" } });
  const { url } = await identity.inviteUser(caller, { email: "grace@acme.example", role: "operator" });
  const rule = { metric: "temperature", operator: "gt", value: 90, severity: "major" } as const;
  const pack = await rules.createThreshold(caller, { name: "Bearings", rules: [rule] });
  await addOutage(anomaly);
  Object.assign(ids, {
    invite: new URL(url).hash.slice(1),
    threshold: pack.id,
    device: device.deviceId,
    type: deviceTypeId,
    certificate: bundle.id,
    claim: claim.id,
    anomaly,
    ticket: ticket.id,
    user: admin.userId,
    group,
    ...(await addWatch()),
  });
}

/** Makes the anomaly part of an outage, as the wait for others would. */
async function addOutage(anomaly: string): Promise<void> {
  const { db } = server.app.database;
  const { tenantId } = tenant.caller;
  const id = randomUUID();
  await runSql(
    db,
    `INSERT INTO outages (id, tenant_id, kind, value, silent, explained, sharing, since)
     VALUES ($1, $2, 'block', '203.0.113.0/24', 312, 312, 318, $3)`,
    [id, tenantId, server.clock.now()],
  );
  const member = [anomaly, tenantId, id];
  await runSql(db, "INSERT INTO outage_anomalies (anomaly_id, tenant_id, outage_id) VALUES ($1, $2, $3)", member);
}

/** Creates a group whose shifts leave hours uncovered, and whose channels are not confirmed. */
async function addWatch(): Promise<Record<"watched" | "shift", string>> {
  const { groups } = server.app;
  const { caller } = tenant;
  const daysOfWeek = ["mon", "tue", "wed", "thu", "fri"];
  const on = { timeZone: "Europe/Berlin", daysOfWeek, userIds: [admin.userId] };
  const days = await groups.createShift(caller, { name: "Days", startTime: "06:00", endTime: "18:00", ...on });
  const nights = await groups.createShift(caller, { name: "Nights", startTime: "16:00", endTime: "06:00", ...on });
  const { id } = await groups.createGroup(caller, {
    name: "Boiler house",
    channels: [
      { type: "email", target: "boilers@acme.example" },
      { type: "webhook", target: "https://hooks.acme.example/boilers" },
    ],
    escalation: [{ afterMinutes: 0, notify: "shift" }],
  });
  for (const shift of [days, nights]) await groups.assignShift(caller, id, shift.id);
  const weekly = { timeZone: "Europe/Berlin", startTime: "22:00", endTime: "02:00", daysOfWeek: ["sat"] };
  const { createWindow } = server.app.notifications;
  await createWindow(caller, { name: "Updates", covers: "group", groupId: id, recurrence: weekly });
  await createWindow(caller, { name: "Move of hall 3", covers: "all", endsAt: addMs(server.clock.now(), HOUR) });
  const { id: colleague } = await server.app.access.createUser(caller, { email: "bob@acme.example", role: "operator" });
  const { createAbsence, createOverride, offerDuty } = server.app.notifications;
  const [startsAt, endsAt] = [1, 9].map((hours) => addMs(server.clock.now(), hours * HOUR)) as [Date, Date];
  await createOverride(caller, id, { userId: colleague, replacesUserId: admin.userId, startsAt, endsAt });
  for (const userId of [colleague, admin.userId])
    await createAbsence(caller, { userId, startsAt: endsAt, endsAt: addMs(endsAt, DAY), note: "Training" });
  const later = { startsAt: addMs(startsAt, DAY * 3), endsAt: addMs(endsAt, DAY * 4) };
  const asAdmin: Caller = {
    ...caller,
    actor: `user:${admin.userId}`,
    rights: { kind: "user", userId: admin.userId, role: "admin" },
  };
  await offerDuty(asAdmin, id, later);
  return { watched: id, shift: nights.id };
}

async function publish(device: TestDevice): Promise<void> {
  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, JSON.stringify({ temperature: 21.5, mode: "auto" }), { qos: 1 });
  await client.publishAsync(device.topic, "temperature=21.5", { qos: 1 });
  await client.endAsync();
}

/** Route → its addresses: with each of its tabs, and both with and without records if they differ. */
const SCREENS: Record<string, readonly string[]> = {
  "/setup": ["/setup"],
  "/sign-in": ["/sign-in"],
  "/sign-in/provider/$tenantId": ["/sign-in/provider/none?state=l"],
  "/forgot-password": ["/forgot-password"],
  "/enroll": ["/enroll#CLAIM-4T9M-W2XA-7KQ2", "/enroll#no-code"],
  "/invite": ["/invite#:invite"],
  "/reset": ["/reset#token"],
  "/": ["/"],
  "/account": ["/account"],
  "/anomalies": ["/anomalies", "/anomalies?severity=minor"],
  "/anomalies/$id": ["/anomalies/:anomaly"],
  "/groups": ["/groups", "/groups?q=none"],
  "/groups/$id": ["/groups/:group", "/groups/:watched"],
  "/groups/$id/replay": ["/groups/:group/replay"],
  "/shifts": ["/shifts", "/shifts?group=:watched", "/shifts?shift=:shift"],
  "/maintenance": ["/maintenance"],
  "/tickets": ["/tickets", "/tickets?view=board", "/tickets?q=none"],
  "/tickets/$id": ["/tickets/:ticket"],
  "/deliveries": ["/deliveries", "/deliveries?anomalyId=:anomaly"],
  "/devices": ["/devices", "/devices?q=none"],
  "/devices/$id": ["", "?tab=telemetry", "?tab=anomalies", "?tab=certificates", "?tab=refused", "?tab=history"].map(
    (tab) => `/devices/:device${tab}`,
  ),
  "/devices/$id/connect": ["/devices/:device/connect"],
  "/devices/$id/rotate": ["/devices/press-7/rotate"],
  "/clients/$id/live": ["/clients/:device/live", "/clients/press-7/live"],
  "/compare": ["/compare", "/compare?groupId=:group", "/compare?devices=:device,press-7&view=together"],
  "/connect": ["/connect"],
  "/refusals": ["/refusals"],
  "/claims": ["/claims"],
  "/claims/$id": ["/claims/:claim"],
  "/certificates": ["/certificates"],
  "/certificates/$id": ["/certificates/:certificate"],
  "/findings": ["/findings", "/findings?kind=publishes_nowhere"],
  "/thresholds": ["/thresholds", "/thresholds?q=none"],
  "/thresholds/$id": ["/thresholds/:threshold", "/thresholds/new"],
  "/device-types": ["/device-types"],
  "/device-types/$id": ["/device-types/:type"],
  "/mqtt-clients": ["/mqtt-clients"],
  "/keys": ["/keys"],
  "/service-accounts": ["/service-accounts"],
  "/users": ["/users"],
  "/users/$id": ["/users/:user"],
  "/audit": ["/audit", "/audit?of=api", "/audit?of=certificates", "/audit?of=stream"],
  "/settings": ["/settings"],
  "/settings/single-sign-on": ["/settings/single-sign-on"],
  "/platform": ["/platform", "/platform?of=authorities", "/platform?of=checks", "/platform?of=refusals"],
};
/** Routes for people without a session. */
const OPEN = new Set([
  "/setup",
  "/sign-in",
  "/sign-in/provider/$tenantId",
  "/forgot-password",
  "/enroll",
  "/invite",
  "/reset",
]);

browserTest("every route of the app is covered", async () => {
  const routes = JSON.parse(readFileSync(join(APP, "../routes.json"), "utf8")) as string[];
  assert.deepEqual(Object.keys(SCREENS).sort(), [...routes].sort());
});

for (const [route, addresses] of Object.entries(SCREENS)) {
  for (const address of addresses) {
    browserTest(`${address} is sound in both schemes, both widths and both languages`, async () => {
      const path = address.replaceAll(/:(\w+)/g, (_, kind: string) => ids[kind]!);
      // An address may open so many pages in a time; sessions last.
      server.clock.advance(5 * SECOND);
      const window = await emptyWindow(!OPEN.has(route));
      await window.page.goto(path);
      await untilAtRest(window);
      assert.deepEqual(await brokenWords(window.page), [], `${address}: broken words`);
      await assertSoundInAllViews(window, address);
      const german = await emptyWindow(!OPEN.has(route), "de-DE");
      await german.page.goto(path);
      await untilAtRest(german);
      assert.deepEqual(await brokenWords(german.page), [], `${address} in German: broken words`);
      await german.page.setViewportSize(PHONE);
      assert.equal(await german.page.evaluate("document.documentElement.lang"), "de");
      await assertFits(german, `${address} in German`);
      assert.deepEqual(await smallTargets(german.page), [], `${address}: targets too small for a finger`);
    });
  }
}

/** Returns the labels of a record's facts whose value is wider than its part of the line. */
const FACTS_TOO_WIDE = `[...document.querySelectorAll(".facts > div")]
  .filter((fact) => { const value = fact.querySelector("dd"); return value.scrollWidth > value.clientWidth; })
  .map((fact) => fact.querySelector("dt").textContent)`;

browserTest("an anomaly of an outage lists its devices and what they have in common", async () => {
  const window = await openPage(server);
  await useSession(window, server, admin.cookie);
  await window.page.goto(`/anomalies/${ids.anomaly}`);
  await window.page.getByText("312 of them behind 203.0.113.0/24 (of 318 there)").waitFor();
  const table = window.page.getByRole("table", { name: "Devices of the outage" });
  assert.match(await table.innerText(), /Feed pump 1[\s\S]*still silent/i);
  await window.context.close();
});

browserTest("the facts of a device fit their lines on a phone", async () => {
  const window = await openPage(server, { viewport: { width: 390, height: 844 } });
  await useSession(window, server, admin.cookie);
  await window.page.goto(`/devices/${ids.device}`);
  await window.page.getByText("Offline since").waitFor();
  assert.deepEqual(await window.page.evaluate(FACTS_TOO_WIDE), []);
  await window.context.close();
});

const windows = new Map<string, Promise<Watched>>();

/** Opens a window without an address. A separate profile for each address would take longer than the checks. */
async function emptyWindow(withSession: boolean, locale = "en-US"): Promise<Watched> {
  const window = await (windows.get(`${locale} ${withSession}`) ?? newWindow(withSession, locale));
  // A change of the fragment loads nothing.
  await window.page.goto("about:blank");
  await window.page.setViewportSize(DESKTOP);
  await window.page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  window.problems.length = 0;
  return window;
}

function newWindow(withSession: boolean, locale: string): Promise<Watched> {
  // The page of a provider's answer is opened without one.
  const opened = openPage(server, { locale, refused: /oidc\/callback$/ }).then(async (window) => {
    if (withSession) await useSession(window, server, admin.cookie);
    return window;
  });
  windows.set(`${locale} ${withSession}`, opened);
  return opened;
}

/** Waits until the screen shows the data it reads. */
async function untilAtRest({ page }: Watched): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("load");
  await page
    .locator("[aria-busy=true], [aria-label=Loading], [aria-label='Wird geladen']")
    .first()
    .waitFor({ state: "detached" });
}
