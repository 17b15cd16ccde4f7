import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type mqtt from "mqtt";
import type { Caller, Role } from "../../../src/access/access.ts";
import { SECOND } from "../../../src/lib/clock.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { closed, connectMqtt, newTenant, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

/** MQTT clients work as long as their owner is an active admin. */
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let clients = 0;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
});
after(() => server.stop());

interface Gateway {
  clientId: string;
  password: string;
  topic: string;
}

/** An admin, and a gateway that they registered. */
async function newOwner() {
  const owner = await signIn(server, tenant);
  const clientId = `gateway-${tenant.slug}-${clients++}`;
  const topic = `t/${tenant.slug}/commands/${clientId}`;
  const body = { clientId, username: clientId, publish: [topic], subscribe: [topic] };
  const made = await owner.call("POST", "/mqtt-clients", { body });
  assert.equal(made.status, 201, made.text);
  const change = async (body: { role?: Role; status?: string }) => {
    const { status, text } = await admin.call("PATCH", `/users/${owner.userId}`, { body });
    assert.equal(status, 200, text);
  };
  return { ...owner, change, gateway: { clientId, password: made.json.password as string, topic } };
}

function connect({ clientId, password }: Gateway, options: mqtt.IClientOptions = {}): Promise<mqtt.MqttClient> {
  const identity = { deviceId: clientId, fullchain: "", key: "", ca: server.ca };
  return connectMqtt(server, identity, { username: clientId, password, ...options });
}

async function connects(gateway: Gateway): Promise<void> {
  await (await connect(gateway)).endAsync(true);
}

async function listed({ clientId }: Gateway) {
  const { json } = await admin.call("GET", "/mqtt-clients?limit=200");
  return json.items.find((client: { clientId: string }) => client.clientId === clientId);
}

const SUSPENDED = /Not authorized/;

test("a demotion of its owner ends the session of an MQTT client and refuses it, until the role is restored", async () => {
  const { gateway, change, email, userId } = await newOwner();
  const session = await connect(gateway);
  const end = closed(session);
  assert.deepEqual((({ suspended, owner, ownerId }) => [suspended, owner, ownerId])(await listed(gateway)), [
    false,
    email,
    userId,
  ]);
  await change({ role: "operator" });
  await end;
  await assert.rejects(connect(gateway), SUSPENDED);
  await assert.rejects(connect({ ...gateway, password: "guessed" }), /Bad username or password/);
  assert.equal((await listed(gateway)).suspended, true);
  await server.app.connections.flush();
  const { items } = await server.app.connections.listRefusals(tenant.caller, { skip: 0, limit: 2 });
  assert.deepEqual(items.map(({ reason }) => reason).sort(), ["bad_credentials", "client_suspended"]);
  await change({ role: "viewer" });
  await assert.rejects(connect(gateway), SUSPENDED);
  await change({ role: "admin" });
  await connects(gateway);
  await change({ status: "deactivated" });
  await assert.rejects(connect(gateway), SUSPENDED);
  await change({ status: "active" });
  await connects(gateway);
});

test("the deletion of its owner suspends an MQTT client until another admin enables it and becomes its owner", async () => {
  const { gateway, userId } = await newOwner();
  const end = closed(await connect(gateway));
  assert.equal((await admin.call("DELETE", `/users/${userId}`)).status, 204);
  await end;
  await assert.rejects(connect(gateway), SUSPENDED);
  const other = await signIn(server, tenant);
  for (const repeated of [1, 2]) {
    const { status } = await other.call("POST", `/mqtt-clients/${gateway.clientId}/enable`);
    assert.equal(status, 204, `${repeated}`);
  }
  await connects(gateway);
  assert.equal((await listed(gateway)).owner, other.email);
  await admin.call("PATCH", `/users/${other.userId}`, { body: { role: "viewer" } });
  await assert.rejects(connect(gateway), SUSPENDED);
  const { json } = await admin.call("POST", `/mqtt-clients/${gateway.clientId}/password`);
  await connects({ ...gateway, password: json.password });
  assert.deepEqual(
    [(await listed(gateway)).owner, (await listed(gateway)).suspended],
    [admin.email, false],
    "a new password takes the client over, too",
  );
});

test("an admin who enables a disabled client of a former admin becomes its owner", async () => {
  const { gateway, change } = await newOwner();
  const path = `/mqtt-clients/${gateway.clientId}`;
  await admin.call("POST", `${path}/disable`);
  await change({ role: "operator" });
  assert.equal((await admin.call("POST", `${path}/enable`)).status, 204);
  await connects(gateway);
  await change({ role: "viewer" });
  await connects(gateway);
});

test("clients that the shell registers or enables depend on no user", async () => {
  const { gateway, change } = await newOwner();
  await change({ role: "operator" });
  await server.app.connections.enableMqttClient(tenant.caller, gateway.clientId);
  await connects(gateway);
  assert.equal((await listed(gateway)).owner, null);
  await change({ role: "viewer" });
  await connects(gateway);
});

test("exactly the MQTT clients that a role change or a user's end will suspend are listed beforehand", async () => {
  const { gateway, userId, call, change } = await newOwner();
  const more = { clientId: `${gateway.clientId}-off`, username: `${gateway.clientId}-off` };
  await call("POST", "/mqtt-clients", { body: more });
  await admin.call("POST", `/mqtt-clients/${more.clientId}/disable`);
  const impact = async (query: string) => {
    const { json } = await admin.call("GET", `/users/${userId}/impact${query}`);
    return json.mqttClients.map(({ clientId, connected }: { clientId: string; connected: boolean }) => [
      clientId,
      connected,
    ]);
  };
  assert.deepEqual(await impact(""), [[gateway.clientId, false]]);
  const session = await connect(gateway);
  assert.deepEqual(await impact("?role=operator"), [[gateway.clientId, true]]);
  assert.deepEqual(await impact("?role=admin"), []);
  await session.endAsync(true);
  await change({ role: "viewer" });
  assert.deepEqual(await impact(""), []);
});

test("the delayed will of a suspended client is not published, and its stored session is kept", async () => {
  const { gateway, change } = await newOwner();
  const { topic } = gateway;
  const watcher = await newOwner();
  await runSql(server.app.database.db, "UPDATE mqtt_clients SET subscribe_filters = $1 WHERE client_id = $2", [
    [topic],
    watcher.gateway.clientId,
  ]);
  const seen: string[] = [];
  const watching = await connect(watcher.gateway);
  watching.on("message", (_topic, payload) => void seen.push(String(payload)));
  await watching.subscribeAsync(topic, { qos: 1 });
  const persistent: mqtt.IClientOptions = {
    protocolVersion: 5,
    clean: false,
    properties: { sessionExpiryInterval: 3_600 },
  };
  const session = await connect(gateway, {
    ...persistent,
    will: { topic, payload: Buffer.from("gone"), qos: 1, retain: false, properties: { willDelayInterval: 30 } },
  });
  await session.subscribeAsync(topic, { qos: 1 });
  session.stream.destroy();
  await closed(session);
  const { db } = server.app.database;
  const due = () => runSql(db, "SELECT FROM wills WHERE client_id = $1 AND due_at IS NOT NULL", [gateway.clientId]);
  assert.ok(await eventually(async () => (await due()).length === 1), "the delay has begun");
  await change({ role: "operator" });
  server.clock.advance(31 * SECOND);
  assert.ok(await eventually(async () => (await due()).length === 0), "the will is settled");
  await server.app.connections.enableMqttClient(tenant.caller, gateway.clientId);
  const arrived: string[] = [];
  const again = await connectMqtt(
    server,
    { deviceId: gateway.clientId, fullchain: "", key: "", ca: server.ca },
    { username: gateway.clientId, password: gateway.password, ...persistent },
    (client) => client.on("message", (_topic, payload) => void arrived.push(String(payload))),
  );
  await again.publishAsync(topic, "back", { qos: 1 });
  assert.ok(await eventually(async () => seen.length > 0 && arrived.length > 0));
  assert.deepEqual([seen, arrived], [["back"], ["back"]], "not the will, by the subscriptions that it had");
  for (const client of [again, watching]) await client.endAsync(true);
});

test("a client that connects at any moment of its owner's demotion has no session afterwards", async () => {
  const { gateway, change, userId } = await newOwner();
  let opened = 0;
  for (let round = 0; round < 12; round++) {
    const connecting = connect(gateway).then(
      (client) => closed(client).then(() => opened++),
      () => undefined,
    );
    for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    await change({ role: "operator" });
    await connecting;
    assert.ok(await eventually(async () => !(await listed(gateway)).connected), `round ${round}`);
    await change({ role: "admin" });
  }
  assert.ok(opened <= 12);
  const [user] = await runSql<{ role: string }>(server.app.database.db, "SELECT role FROM users WHERE id = $1", [
    userId,
  ]);
  assert.equal(user!.role, "admin");
});

test("a former admin registers, enables and rotates nothing, even if the request was admitted before", async () => {
  const { gateway, change, userId } = await newOwner();
  const stale: Caller = {
    ...tenant.caller,
    actor: `user:${userId}`,
    rights: { kind: "user", userId, role: "admin" },
  };
  await change({ role: "operator" });
  const { connections } = server.app;
  const attempts = [
    () => connections.createMqttClient(stale, { clientId: `${gateway.clientId}-2`, username: "late" }),
    () => connections.enableMqttClient(stale, gateway.clientId),
    () => connections.rotateMqttClientPassword(stale, gateway.clientId),
  ];
  for (const attempt of attempts) await assert.rejects(attempt, { code: "insufficient_role" });
  assert.equal(await listed({ ...gateway, clientId: `${gateway.clientId}-2` }), undefined);
});
