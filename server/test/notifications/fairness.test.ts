import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE, SECOND } from "../../src/lib/clock.ts";
import { installFaultHook } from "../../src/lib/fault-points.ts";
import { onPostgres } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import type { TestTenant } from "../harness/devices.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

let environment: NotificationEnvironment;
before(async () => {
  environment = await startEnvironment();
});
after(() => environment.stop());

const shift = [{ afterMinutes: 0, notify: "shift" as const }];
const channels = [{ afterMinutes: 0, notify: "channels" as const }];

/** Creates a tenant whose anomalies page one person on shift. */
async function paged() {
  const { newTenant, user, groupOnDuty } = environment;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  return { tenant, ada, group: await groupOnDuty(tenant, { escalation: shift }, [ada.id]) };
}

/** Creates a tenant whose anomalies call webhooks at these paths. */
async function hooked(paths: string[], tenant?: TestTenant) {
  const { sinks, newTenant, groupOnDuty } = environment;
  const owner = tenant ?? (await newTenant());
  const targets = paths.map((path) => ({ type: "webhook" as const, target: sinks.hookUrl(path) }));
  const groups = [];
  for (let from = 0; from < targets.length; from += 20)
    groups.push(await groupOnDuty(owner, { channels: targets.slice(from, from + 20), escalation: channels }, []));
  return { tenant: owner, groupIds: groups.map(({ id }) => id) };
}

test("critical pages are sent individually and immediately, however many minor messages to the same person wait", async () => {
  const { sinks, anomalies, pass } = environment;
  const { tenant, ada, group } = await paged();
  const storm = await anomalies(tenant, [group.id], 30, { severity: "minor" });
  await storm.open();
  await pass(0);
  for (let n = 0; n < 19; n++) await pass(0);
  const critical = await anomalies(tenant, [group.id], 25, { name: "Boiler" });
  await critical.open();
  await pass(0);
  const subjects = sinks.mailsTo(ada.email).map(({ subject }) => subject);
  assert.equal(subjects.filter((subject) => subject === "[Muster] 30 messages").length, 1);
  assert.equal(subjects.filter((subject) => subject.startsWith("[Muster] CRITICAL: Boiler")).length, 25);
  assert.equal(subjects.length, 26);
});

test("one tenant's messages to an address neither delay nor enter another tenant's mails to it", async () => {
  const { sinks, newTenant, groupOnDuty, anomalies, pass } = environment;
  const { tenant: honest, ada, group } = await paged();
  const hostile = await newTenant();
  const named = await groupOnDuty(
    hostile,
    { channels: [{ type: "email", target: ada.email }], escalation: channels },
    [],
  );
  const flood = await anomalies(hostile, [named.id], 40, { name: "Hostile", severity: "minor" });
  const quiet = await anomalies(honest, [group.id], 3, { name: "Honest", severity: "minor" });
  await flood.open();
  await quiet.open();
  await pass(0);
  const mails = sinks.mailsTo(ada.email);
  const ofHonest = mails.filter(({ text }) => text.includes("Honest"));
  assert.equal(ofHonest.length, 3);
  assert.ok(ofHonest.every(({ text }) => !text.includes("Hostile")));
  assert.deepEqual(
    mails.map(({ subject }) => subject).filter((subject) => subject.endsWith("messages")),
    ["[Muster] 40 messages"],
  );
});

test("a tenant whose twenty webhooks hang occupies four slots of a process, and other tenants are called immediately", async () => {
  const { server, sinks, anomalies } = environment;
  const paths = Array.from({ length: 20 }, (_, n) => `/hang-${n}`);
  const hostile = await hooked(paths);
  const honest = await hooked(["/honest"]);
  const storm = await anomalies(hostile.tenant, hostile.groupIds, 10);
  const one = await anomalies(honest.tenant, honest.groupIds);
  sinks.behave.hook = (path) => (path.startsWith("/hang") ? undefined : { status: 204 });
  const hanging = () => paths.reduce((sum, path) => sum + sinks.hooksAt(path).length, 0);
  await storm.open();
  const sending = server.app.notifications.runDue();
  await sinks.until(() => hanging() >= 4);
  await one.open();
  await sinks.until(() => sinks.hooksAt("/honest").length === 1);
  assert.ok(hanging() <= (onPostgres ? 8 : 4), `${hanging()} calls`);
  sinks.behave.hook = () => ({ status: 204 });
  sinks.hangUp();
  await sending;
});

test("a target that fails three times in a row is paused, and its messages arrive when it answers again", async () => {
  const { server, second, sinks, anomalies, pass, log, measured } = environment;
  const processes = second === server ? 1 : 2;
  const { tenant, groupIds } = await hooked(["/broken"]);
  const { open } = await anomalies(tenant, groupIds, 12);
  sinks.behave.hook = (path) => ({ status: path === "/broken" ? 503 : 204 });
  await open();
  await pass(0);
  const tried = sinks.hooksAt("/broken").length;
  assert.ok(tried >= 3 && tried <= 4 * processes, `${tried} calls`);
  assert.ok((await measured("muster_webhook_targets_paused")) > 0);
  await pass(9 * SECOND);
  assert.equal(sinks.hooksAt("/broken").length, tried);
  // Then one call at a time tries it.
  await pass(SECOND);
  assert.ok(sinks.hooksAt("/broken").length - tried <= processes);
  sinks.behave.hook = () => ({ status: 204 });
  for (let minute = 0; minute < 10; minute++) await pass(MINUTE);
  assert.deepEqual(new Set((await log(tenant)).map(({ state }) => state)), new Set(["sent"]));
  assert.equal(await measured("muster_webhook_targets_paused"), 0);
});

test("the targets of one tenant take turns", async () => {
  const { sinks, anomalies, pass } = environment;
  const { tenant, groupIds } = await hooked(["/turn-a", "/turn-b", "/turn-c"]);
  const { open } = await anomalies(tenant, groupIds, 12);
  const before = sinks.hooks.length;
  await open();
  await pass(0);
  const order = sinks.hooks.slice(before).map(({ path }) => path);
  assert.equal(order.length, 36);
  // None of the three falls behind while others are served.
  for (const path of ["/turn-a", "/turn-b", "/turn-c"])
    assert.ok(order.slice(0, 18).filter((each) => each === path).length >= 3, order.join(" "));
});

test("a page is sent while the inbox still has many changes of another tenant", async () => {
  const { server, sinks, newTenant, anomalies } = environment;
  const { db } = server.app.database;
  const busy = await newTenant();
  const { tenant, ada, group } = await paged();
  const { open } = await anomalies(tenant, [group.id]);
  let waiting: Promise<number> | undefined;
  installFaultHook((point) => {
    if (point !== "deliver.send" || waiting !== undefined) return undefined;
    waiting = inboxOf(busy);
    return waiting.then(() => undefined);
  });
  const acknowledged = '{"id": "00000000-0000-0000-0000-000000000001", "status": "acknowledged"}';
  await runSql(
    db,
    `INSERT INTO notification_inbox (seq, tenant_id, at, changed_table, operation, changed_row)
     SELECT 1000000000 + n, $1, now(), 'anomalies', 'UPDATE', $2 FROM generate_series(1, 40000) n`,
    [busy.caller.tenantId, acknowledged],
  );
  await open();
  await sinks.until(() => sinks.mailsTo(ada.email).length === 1);
  assert.ok((await waiting!) > 0);
  installFaultHook(() => undefined);
  await runSql(db, "DELETE FROM notification_inbox WHERE tenant_id = $1", [busy.caller.tenantId]);
});

async function inboxOf({ caller }: TestTenant): Promise<number> {
  const count = "SELECT count(*)::int AS rows FROM notification_inbox WHERE tenant_id = $1";
  const [row] = await runSql<{ rows: number }>(environment.server.app.database.db, count, [caller.tenantId]);
  return row!.rows;
}
