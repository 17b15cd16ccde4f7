import assert from "node:assert/strict";
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { pressConfirm } from "../harness/confirm-channels.ts";
import { runSql } from "../harness/database/run-sql.ts";
import type { TestTenant } from "../harness/devices.ts";
import { signIn } from "../harness/sign-in.ts";
import { PUSH_KEYS } from "../harness/webhooks.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

let environment: NotificationEnvironment;
before(async () => {
  environment = await startEnvironment();
});
after(() => environment.stop());

const escalation = [{ afterMinutes: 0, notify: "members" as const }];

/** A browser, which decrypts notifications as RFC 8291 4 and RFC 8188 2 say. */
function newBrowser(path: string) {
  const ecdh = createECDH("prime256v1");
  const [own, auth] = [ecdh.generateKeys(), randomBytes(16)];
  const decrypt = (sealed: Buffer): { title: string; body: string; url: string; tag: string } => {
    const [salt, sender] = [sealed.subarray(0, 16), sealed.subarray(21, 86)];
    assert.deepEqual([sealed.readUInt32BE(16), sealed[20]], [4_096, 65]);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), own, sender]);
    const secret = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(sender), auth, info, 32));
    const derive = (label: string, octets: number) =>
      Buffer.from(hkdfSync("sha256", secret, salt, Buffer.from(`Content-Encoding: ${label}\0`), octets));
    const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12), {
      authTagLength: 16,
    });
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(86, -16)), decipher.final()]);
    assert.equal(plain.at(-1), 2);
    return JSON.parse(plain.subarray(0, -1).toString());
  };
  const endpoint = environment.sinks.hookUrl(`/service/${path}`);
  const keys = { p256dh: own.toString("base64url"), auth: auth.toString("base64url") };
  const received = () => environment.sinks.hooksAt(`/service/${path}`);
  return { subscription: { endpoint, ...keys, name: `Phone ${path}` }, received, decrypt };
}

/** A member of a group whose browser is confirmed. */
async function member(path: string) {
  const { newTenant, pass, server } = environment;
  const tenant: TestTenant = await newTenant();
  const user = await signIn(server, tenant, "operator");
  const memberUserIds = [user.userId];
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Hall", memberUserIds, escalation });
  const browser = newBrowser(path);
  const added = await user.call("POST", "/notifications/push", { body: browser.subscription });
  assert.equal(added.status, 201, JSON.stringify(added.json));
  await pass(0);
  const question = browser.decrypt(browser.received()[0]!.raw!);
  const channels = async () => (await user.call("GET", "/notifications")).json.channels;
  return { tenant, user, group, browser, question, channels };
}

test("a browser gets the question, then pages that open the anomaly, encrypted for it and signed by the installation", async () => {
  const { anomalies, pass, server } = environment;
  const { tenant, user, group, browser, question, channels } = await member("push");
  assert.match(await pressConfirm(question.url, server.ca), /Confirmed/);
  const [channel] = await channels();
  assert.deepEqual([channel.type, channel.target, channel.state], ["integration", "Phone push", "confirmed"]);
  const { open } = await anomalies(tenant, [group.id], 1, { name: "Pump <b>7</b>" });
  const [anomaly] = await open();
  await pass(0);
  const { headers, raw } = browser.received()[1]!;
  const { title, url, tag } = browser.decrypt(raw!);
  assert.match(title, /^CRITICAL: Pump <b>7<\/b>/);
  assert.ok(url.endsWith(`/anomalies/${anomaly!.id}`));
  assert.equal(tag, anomaly!.id);
  assert.ok(!raw!.includes("Pump"), "the push service cannot read it");
  const { publicKey } = (await user.call("GET", "/notifications/push")).json;
  assert.ok(headers.authorization!.endsWith(`, k=${publicKey}`));
  const { "content-encoding": encoding, ttl, urgency, topic } = headers;
  assert.deepEqual([encoding, ttl, urgency], ["aes128gcm", "86400", "high"]);
  assert.match(topic!, /^[\w-]{32}$/);
});

test("a browser that its push service no longer knows is no channel any more", async () => {
  const { anomalies, pass, server, sinks } = environment;
  const { tenant, group, question, channels } = await member("left");
  await pressConfirm(question.url, server.ca);
  sinks.behave.service = () => ({ status: 410 });
  const { open } = await anomalies(tenant, [group.id]);
  await open();
  await pass(0);
  sinks.behave.service = () => ({ status: 201 });
  assert.deepEqual(await channels(), []);
  const { db } = server.app.database;
  assert.deepEqual(await runSql(db, "SELECT id FROM integrations WHERE tenant_id = $1", [tenant.caller.tenantId]), []);
});

test("a browser that subscribes again replaces its channel, and removing it deletes its keys", async () => {
  const { server } = environment;
  const { tenant, user, browser, channels } = await member("again");
  assert.equal((await user.call("POST", "/notifications/push", { body: browser.subscription })).status, 201);
  const [channel, ...others] = await channels();
  assert.deepEqual(others, []);
  assert.equal((await user.call("DELETE", `/notifications/channels/${channel.id}`)).status, 204);
  const { db } = server.app.database;
  assert.deepEqual(await runSql(db, "SELECT id FROM integrations WHERE tenant_id = $1", [tenant.caller.tenantId]), []);
});

test("twenty browsers that ask for the key at the same time get the same one", async () => {
  const { newTenant, second, server } = environment;
  const user = await signIn(server, await newTenant(), "viewer");
  const { caller } = await newTenant();
  const keys = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? server : second).app.notifications.getPushKey(caller)),
  );
  keys.push((await user.call("GET", "/notifications/push")).json);
  assert.equal(new Set(keys.map(({ publicKey }) => publicKey)).size, 1);
});

test("a subscription with a wrong address or key is refused with its field", async () => {
  const { newTenant, server } = environment;
  const user = await signIn(server, await newTenant(), "viewer");
  const right = { endpoint: "https://push.example/s", ...PUSH_KEYS, name: "Phone" };
  for (const [field, value] of [
    ["endpoint", "http://push.example/s"],
    ["p256dh", Buffer.alloc(65, 4).toString("base64url")],
    ["auth", "AAAA"],
  ] as const) {
    const { status, json } = await user.call("POST", "/notifications/push", { body: { ...right, [field]: value } });
    assert.deepEqual([status, json.detail], [400, field]);
  }
});
