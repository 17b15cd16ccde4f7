import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { createQuotas } from "../../src/access/access.ts";
import type { Channel } from "../../src/groups/channels.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { DEFAULT_LIMITS } from "../../src/lib/limits/limits.ts";
import type { Message } from "../../src/notifications/message.ts";
import { sendWebhook } from "../../src/notifications/webhooks/send-webhook.ts";
import { onPostgres } from "../harness/database/database.ts";
import type { NotificationEnvironment } from "./environment.ts";

/** Messages that do not arrive at the first attempt. */
export function deliveryRules(given: () => NotificationEnvironment): void {
  /** Creates a tenant whose anomalies notify one e-mail address and one webhook. */
  async function channels(path: string, count = 1) {
    const { sinks, newTenant, groupOnDuty, anomalies } = given();
    const tenant = await newTenant();
    await given().server.app.access.updateTenant(tenant.caller, { lastResort: "none" });
    const address = `plant@${tenant.slug}.example`;
    const target = sinks.hookUrl(path);
    const group = await groupOnDuty(
      tenant,
      {
        channels: [
          { type: "email", target: address },
          { type: "webhook", target },
        ],
        escalation: [{ afterMinutes: 0, notify: "channels" }],
      },
      [],
    );
    return { tenant, address, target, group, ...(await anomalies(tenant, [group.id], count)) };
  }

  test("a failed message is retried under the same id with growing delays, and the log lists each attempt", async () => {
    const { sinks, pass, log } = given();
    const { tenant, address, open } = await channels("/flaky");
    const [anomaly] = await open();
    sinks.behave.mail = (to) => (to === address ? { responseCode: 451 } : undefined);
    sinks.behave.hook = (path) => ({ status: path === "/flaky" ? 500 : 204 });
    await pass(0);
    await pass(7 * SECOND);
    assert.equal(sinks.hooksAt("/flaky").length, 2);
    for (const { state, attempts, lastError } of await log(tenant, anomaly!.id)) {
      assert.deepEqual([state, attempts.map(({ attempt }) => attempt)], ["pending", [1, 2]]);
      assert.match(lastError!, /500|not now/);
    }
    // Each process reads these from the database.
    const metrics = await given().server.app.metrics.text();
    for (const channel of ["email", "webhook"]) {
      assert.match(metrics, new RegExp(`^muster_notifications_waiting{channel="${channel}"} [1-9]`, "m"));
      assert.match(
        metrics,
        new RegExp(`^muster_notifications_oldest_seconds{channel="${channel}"} ([7-9]|[1-9]\\d)`, "m"),
      );
    }
    sinks.behave.mail = () => undefined;
    sinks.behave.hook = () => ({ status: 204 });
    await pass(15 * SECOND);
    const [first, second, third] = sinks.hooksAt("/flaky").map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual([second, third], [first, first]);
    assert.equal(sinks.mailsTo(address).length, 1);
    const done = await log(tenant, anomaly!.id);
    assert.deepEqual(done.map(({ id }) => id).sort(), [first, sinks.mailsTo(address)[0]!.id].sort());
    assert.ok(done.every(({ state, lastError }) => state === "sent" && lastError === null));
    await pass(DAY);
    assert.equal(sinks.hooksAt("/flaky").length, 3);
  });

  test("an unknown recipient is not retried, and an undeliverable message fails after a day", async () => {
    const { sinks, pass, log, measured } = given();
    const { tenant, open } = await channels("/never");
    const [anomaly] = await open();
    sinks.behave.mail = () => ({ responseCode: 550 });
    sinks.behave.hook = (path) => ({ status: path === "/never" ? 503 : 204 });
    await pass(0);
    const state = async () =>
      Object.fromEntries((await log(tenant, anomaly!.id)).map(({ channel, state }) => [channel, state]));
    assert.deepEqual(await state(), { email: "failed", webhook: "pending" });
    sinks.behave.mail = () => undefined;
    for (let hours = 0; hours < 26; hours++) await pass(HOUR);
    assert.deepEqual(await state(), { email: "failed", webhook: "failed" });
    for (const channel of ["email", "webhook"])
      assert.ok((await measured(`muster_notifications_total{channel="${channel}",result="failed"}`)) > 0);
    assert.ok((await measured(`muster_notifications_total{channel="webhook",result="retried"}`)) > 10);
    assert.ok((await measured(`muster_pages_total{result="paged"}`)) > 0);
    const tries = sinks.hooksAt("/never").length;
    await pass(DAY);
    assert.equal(sinks.hooksAt("/never").length, tries);
  });

  test("410 disables a webhook until it is enabled again, and a redirect is never followed", async () => {
    const { server, sinks, pass, log } = given();
    const { notifications } = server.app;
    const { tenant, target, group, open } = await channels("/gone", 4);
    sinks.behave.hook = (path) =>
      path === "/gone"
        ? { status: 410 }
        : path === "/moved"
          ? { status: 302, location: sinks.hookUrl("/stolen") }
          : { status: 204 };
    await open(0, 1);
    await pass(0);
    await open(1, 2);
    await pass(HOUR);
    assert.equal(sinks.hooksAt("/gone").length, 1);
    const show = (enable = false) => notifications.showWebhook(tenant.caller, { groupId: group.id, target, enable });
    assert.equal((await show()).disabled, true);
    sinks.behave.hook = (path) =>
      path === "/moved" ? { status: 302, location: sinks.hookUrl("/stolen") } : { status: 204 };
    assert.equal((await show(true)).disabled, false);
    await open(2, 3);
    await pass(0);
    assert.equal(sinks.hooksAt("/gone").length, 2);
    await assert.rejects(notifications.showWebhook(tenant.caller, { groupId: group.id, target: `${target}x` }), {
      code: "not_found",
    });

    const moved = await channels("/moved");
    const [anomaly] = await moved.open();
    await pass(0);
    assert.deepEqual([sinks.hooksAt("/moved").length, sinks.hooksAt("/stolen").length], [1, 0]);
    const [hook] = (await log(moved.tenant, anomaly!.id)).filter(({ channel }) => channel === "webhook");
    assert.equal(hook!.lastError, "answered 302");
    sinks.behave.hook = () => ({ status: 204 });
    await pass(MINUTE);
  });

  test("a webhook that leaves its group receives nothing more, and returns with another secret", async () => {
    const { server, sinks, pass, log } = given();
    const { groups, notifications } = server.app;
    const { tenant, target, group, open } = await channels("/left", 2);
    const set = (channels: Channel[]) => groups.updateGroup(tenant.caller, group.id, { channels });
    const secret = async () => (await notifications.showWebhook(tenant.caller, { groupId: group.id, target })).secret;
    const webhook = { type: "webhook", target } as const;
    const first = await secret();
    await set([webhook]);
    assert.equal(await secret(), first);
    await open(0, 1);
    await pass(0);
    sinks.behave.hook = () => ({ status: 500 });
    const [second] = await open(1, 2);
    await pass(0);
    const sent = sinks.hooksAt("/left").length;
    await set([]);
    sinks.behave.hook = () => ({ status: 204 });
    await pass(MINUTE);
    assert.equal(sinks.hooksAt("/left").length, sent);
    const [left] = (await log(tenant, second!.id)).filter(({ channel }) => channel === "webhook");
    assert.deepEqual([left!.state, left!.lastError], ["failed", "the group has no such webhook any more"]);
    await set([webhook]);
    assert.notEqual(await secret(), first);
  });

  test("a webhook's host is resolved once, and the connection goes to exactly the validated address", async () => {
    const { server, sinks } = given();
    const lookups: string[] = [];
    const target = `https://hooks.example:${sinks.hookPort}/pinned`;
    const row = {
      id: "1",
      tenant_id: "t",
      target,
      queue: "q",
      user_id: null,
      group_id: "g",
      anomaly_id: null,
      created_at: new Date(),
      attempts: 1,
    };
    const payload: Message = { type: "digest", at: "", timeZone: "UTC", total: 0, items: [] };
    const send = (
      address: string | Promise<string>,
      allowPrivateWebhooks: boolean,
      abandon = new AbortController().signal,
    ) =>
      sendWebhook(
        {
          ...server.app,
          clock: server.clock,
          ids: randomIds,
          webhookKeys: () => [createSecretKey(Buffer.alloc(32))],
          settings: { smtp: undefined, allowPrivateWebhooks },
          limits: DEFAULT_LIMITS,
          baseUrl: () => "https://m",
          nodeId: () => undefined,
          quotas: createQuotas({ ...server.app, clock: server.clock, ids: randomIds, limits: DEFAULT_LIMITS }),
          resolve: async (host) => [lookups.push(host) ? await address : ""],
        },
        { ...row, payload },
        ["seed"],
        abandon,
      );
    assert.deepEqual(await send("127.0.0.1", true), { sent: true });
    assert.deepEqual([lookups, sinks.hooksAt("/pinned").length], [["hooks.example"], 1]);
    const refused = await send("127.0.0.1", false);
    assert.ok(!refused.sent && refused.final && !refused.maybeSent && /public internet/.test(refused.error));
    assert.equal(sinks.hooksAt("/pinned").length, 1);
    // A lookup that never ends and a response of 101 also end the attempt.
    const unanswered = await send(new Promise(() => undefined), true, AbortSignal.abort());
    assert.ok(!unanswered.sent && !unanswered.final);
    sinks.behave.hook = () => ({ status: 101 });
    const switching = await send("127.0.0.1", true);
    assert.ok(!switching.sent && switching.error === "answered 101");
    sinks.behave.hook = () => ({ status: 204 });
  });

  test("a webhook that does not answer occupies at most two slots, and the others are delivered", async () => {
    const { server, sinks } = given();
    const [stuck, free] = [await channels("/stuck", 20), await channels("/free")];
    sinks.behave.hook = (path) => (path === "/stuck" ? undefined : { status: 204 });
    await stuck.open();
    const sending = server.app.notifications.runDue();
    await sinks.until(() => sinks.hooksAt("/stuck").length >= 2);
    await free.open();
    await sinks.until(() => sinks.hooksAt("/free").length === 1);
    assert.ok(sinks.hooksAt("/stuck").length <= (onPostgres ? 4 : 2));
    sinks.behave.hook = () => ({ status: 204 });
    sinks.hangUp();
    await sending;
  });

  const MANY = onPostgres ? 200 : 40;
  test(`two processes with ${MANY} due messages send each of them once`, async () => {
    const { server, second, sinks, pass } = given();
    const { open } = await channels("/many", MANY);
    await open();
    await Promise.all([0, 1, 2, 3].map((n) => (n % 2 ? second : server).app.notifications.runDue()));
    await pass(0);
    const ids = sinks.hooksAt("/many").map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual([ids.length, new Set(ids).size], [MANY, MANY]);
  });

  test("a message whose result was not recorded is sent again under its id when the lease ends", async () => {
    const { server, sinks, pass } = given();
    const { address, open } = await channels("/lease");
    const { db } = server.app.database;
    await open();
    await pass(0);
    const [sent] = sinks.mailsTo(address);
    // Simulates a process that stopped before it recorded the result.
    await db.updateTable("deliveries").set({ state: "pending", done_at: null }).where("id", "=", sent!.id).execute();
    await pass(MINUTE - 1);
    assert.equal(sinks.mailsTo(address).length, 1);
    await pass(1);
    assert.deepEqual(
      sinks.mailsTo(address).map(({ id }) => id),
      [sent!.id, sent!.id],
    );
  });
}
