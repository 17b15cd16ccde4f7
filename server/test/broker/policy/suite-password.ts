import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closed, connect, journal, startBroker, type TestBroker } from "../environment.ts";
import type { Place } from "../place.ts";

export function passwordRules(place: Place): void {
  let broker: TestBroker;
  let ca: string;
  before(async () => {
    broker = await startBroker(place);
    ca = broker.authorities.serverCaBundlePem();
  });
  after(() => broker.stop());

  test("a registered MQTT client connects with exactly its client id, user name and password", async () => {
    const caller = await broker.newTenant();
    const { password } = await broker.connections.createMqttClient(caller, { clientId: "gw-1", username: "gateway" });
    const client = await connect(broker, { ca, deviceId: "gw-1" }, { username: "gateway", password });
    for (const [clientId, username, tried] of [
      ["gw-1", "gateway", `${password}x`],
      ["gw-1", "gateway", ""],
      ["gw-1", "GATEWAY", password],
      ["GW-1", "gateway", password],
      ["gw-2", "gateway", password],
    ] as const) {
      const attempt = connect(broker, { ca, deviceId: clientId }, { username, password: tried });
      await assert.rejects(attempt, /Bad username or password/, `${clientId} ${username}`);
    }
    assert.equal(client.connected, true);
    await client.endAsync();
    assert.deepEqual(new Set(await journal(broker, caller)), new Set(["bad_credentials"]));
  });

  test("a client with a certificate is authenticated by the certificate alone, whatever password it sends", async () => {
    const device = await broker.enroll();
    const made = await broker.connections.createMqttClient(broker.caller, { clientId: "gw-3", username: "gw-3" });
    const login = { username: "gw-3", password: made.password };
    await assert.rejects(connect(broker, { ...device, deviceId: "gw-3" }, login), /Identifier rejected/);
    await (await connect(broker, device, { username: "gw-3", password: "wrong" })).endAsync();
  });

  test("an MQTT client publishes and subscribes only to its registered topics and filters", async () => {
    const slug = broker.caller.tenantSlug;
    const { password } = await broker.connections.createMqttClient(broker.caller, {
      clientId: "gw-4",
      username: "gw-4",
      publish: [`t/${slug}/commands/all`],
      subscribe: [`t/${slug}/telemetry/+`],
    });
    const login = { username: "gw-4", password };
    const client = await connect(broker, { ca, deviceId: "gw-4" }, login);
    await client.publishAsync(`t/${slug}/commands/all`, "go", { qos: 1 });
    await assert.rejects(client.subscribeAsync(`t/${slug}/#`));
    await client.subscribeAsync(`t/${slug}/telemetry/+`);
    const device = await broker.enroll();
    const arrived = new Promise<string>((resolve) => client.once("message", (topic) => resolve(topic)));
    const pump = await connect(broker, device);
    await pump.publishAsync(device.topic, '{"a":1}', { qos: 1 });
    assert.equal(await arrived, device.topic);
    client.publish(device.topic, "{}");
    await closed(client);
    await pump.endAsync();
  });

  test("disabling an MQTT client closes its session, refuses its password and releases its client id", async () => {
    const wanted = { clientId: "gw-5", username: "gw-5" };
    const { password } = await broker.connections.createMqttClient(broker.caller, wanted);
    const login = { username: "gw-5", password };
    const client = await connect(broker, { ca, deviceId: "gw-5" }, login);
    await broker.connections.disableMqttClient(broker.caller, "gw-5");
    await closed(client);
    await assert.rejects(connect(broker, { ca, deviceId: "gw-5" }, login), /Bad username or password/);
    await broker.connections.disableMqttClient(broker.caller, "gw-5");
    await broker.connections.createMqttClient(broker.caller, wanted);
  });
}
