import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closed, connect, journal, type MakeEngine, startWorld, type World } from "./world.ts";

export function passwordRules(makeEngine: MakeEngine): void {
  let world: World;
  let ca: string;
  before(async () => {
    world = await startWorld(makeEngine);
    ca = world.authorities.serverCaBundlePem();
  });
  after(() => world.stop());

  test("a registered client connects with its id, name and password, and with nothing else", async () => {
    const caller = await world.newTenant();
    const { password } = await world.connections.createMqttClient(caller, { clientId: "gw-1", username: "gateway" });
    const client = await connect(world, { ca, deviceId: "gw-1" }, { username: "gateway", password });
    for (const [clientId, username, tried] of [
      ["gw-1", "gateway", `${password}x`],
      ["gw-1", "gateway", ""],
      ["gw-1", "GATEWAY", password],
      ["GW-1", "gateway", password],
      ["gw-2", "gateway", password],
    ] as const) {
      const attempt = connect(world, { ca, deviceId: clientId }, { username, password: tried });
      await assert.rejects(attempt, /Bad username or password/, `${clientId} ${username}`);
    }
    assert.equal(client.connected, true);
    await client.endAsync();
    assert.deepEqual(new Set(await journal(world, caller)), new Set(["bad_credentials"]));
  });

  test("a client with a certificate is judged by it alone", async () => {
    const device = await world.enroll();
    const made = await world.connections.createMqttClient(world.caller, { clientId: "gw-3", username: "gw-3" });
    const login = { username: "gw-3", password: made.password };
    await assert.rejects(connect(world, { ...device, deviceId: "gw-3" }, login), /Identifier rejected/);
    await (await connect(world, device, { username: "gw-3", password: "wrong" })).endAsync();
  });

  test("publishing and subscribing is limited to what is registered", async () => {
    const slug = world.caller.tenantSlug;
    const { password } = await world.connections.createMqttClient(world.caller, {
      clientId: "gw-4",
      username: "gw-4",
      publish: [`t/${slug}/commands/all`],
      subscribe: [`t/${slug}/telemetry/+`],
    });
    const login = { username: "gw-4", password };
    const client = await connect(world, { ca, deviceId: "gw-4" }, login);
    await client.publishAsync(`t/${slug}/commands/all`, "go", { qos: 1 });
    await assert.rejects(client.subscribeAsync(`t/${slug}/#`));
    await client.subscribeAsync(`t/${slug}/telemetry/+`);
    const device = await world.enroll();
    const arrived = new Promise<string>((resolve) => client.once("message", (topic) => resolve(topic)));
    const pump = await connect(world, device);
    await pump.publishAsync(device.topic, '{"a":1}', { qos: 1 });
    assert.equal(await arrived, device.topic);
    client.publish(device.topic, "{}");
    await closed(client);
    await pump.endAsync();
  });

  test("disabling a client closes its session, refuses it and frees its id", async () => {
    const wanted = { clientId: "gw-5", username: "gw-5" };
    const { id, password } = await world.connections.createMqttClient(world.caller, wanted);
    const login = { username: "gw-5", password };
    const client = await connect(world, { ca, deviceId: "gw-5" }, login);
    await world.connections.disableMqttClient(world.caller, id);
    await closed(client);
    await assert.rejects(connect(world, { ca, deviceId: "gw-5" }, login), /Bad username or password/);
    await world.connections.disableMqttClient(world.caller, id);
    await world.connections.createMqttClient(world.caller, wanted);
  });
}
