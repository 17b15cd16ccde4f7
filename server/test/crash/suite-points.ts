import assert from "node:assert/strict";
import { before, test } from "node:test";
import { endConnections, onPostgres } from "../harness/database/database.ts";
import { closed, connectMqtt } from "../harness/devices.ts";
import { type CrashFixture, deviceOf } from "../harness/processes/crash.ts";

/**
 * The database guarantees what a transaction leaves behind. The embedded database therefore sees one crash of each
 * kind: before a commit, after it, and between it and the next step. On PostgreSQL every use case is killed at every
 * point.
 */
const everywhere = <Point>(all: Point[], once: Point[]): Point[] => (onPostgres ? all : once);

/** Kills the process at the fault points of enrollment, renewal, revocation and deletion. */
export function crashPoints(given: () => CrashFixture): void {
  let fixture: CrashFixture;
  before(() => {
    fixture = given();
  });

  for (const point of everywhere(["sign.before", "sign.after", "redeem.commit"], ["redeem.commit"])) {
    test(`killed at ${point} of a redemption: nothing is stored, and the same request succeeds after the restart`, async () => {
      const claim = await fixture.claim();
      await fixture.killedAt(point, () => fixture.redeem(claim.body));
      assert.equal(await fixture.used(claim.id), 0);
      const answer = await fixture.redeem(claim.body);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(await fixture.used(claim.id), 1);
      assert.equal((await fixture.certificates(answer.json.deviceId)).length, 1);
      await fixture.doctor();
    });
  }

  test("killed after the commit of a redemption: the use is counted once, and the audit lists the certificate", async () => {
    const claim = await fixture.claim(2);
    await fixture.killedAt("redeem.committed", () => fixture.redeem(claim.body));
    assert.equal(await fixture.used(claim.id), 1);
    const retry = await fixture.redeem(claim.body);
    assert.deepEqual([retry.status, retry.json.error], [401, "reenrollment_proof_required"]);
    assert.equal(await fixture.used(claim.id), 1);
    const [certificate] = await fixture.certificates();
    const { items } = (await fixture.api("GET", "device-certificates/audit?limit=200")).json;
    const enrolled = items.filter((entry: { certificateId: string }) => entry.certificateId === certificate.id);
    assert.deepEqual(
      enrolled.map(({ kind, actor }: { kind: string; actor: string }) => [kind, actor]),
      [["device_cert_enrolled", `claim:${claim.id}`]],
    );
    await fixture.doctor();
  });

  for (const point of everywhere(["revoke.committed", "drop.deliver"], ["drop.deliver"])) {
    test(`killed at ${point}, between a revocation and its drop: the device is refused at its next connect`, async () => {
      const device = await fixture.enroll();
      const client = await connectMqtt(fixture.server, device);
      client.on("error", () => undefined);
      const [certificate] = await fixture.certificates(device.deviceId);
      await fixture.killedAt(point, () => fixture.api("DELETE", `device-certificates/${certificate.id}`));
      await closed(client);
      client.end(true);
      assert.deepEqual(await statuses(device.deviceId), ["revoked requested"]);
      await assert.rejects(connectMqtt(fixture.server, device));
      assert.equal((await fixture.renew(device)).answer.status, 401);
      await fixture.doctor();
    });
  }

  test("killed before a device's acknowledgement of a command is stored: the command is sent again, and then never", async () => {
    const device = await fixture.enroll();
    const topic = `t/acme/commands/${device.deviceId}`;
    const about = { tenant: "acme", id: device.deviceId };
    await fixture.server.command("device.send", { ...about, topic, payload: "open" });
    const subscribed = async () => {
      const client = await connectMqtt(fixture.server, device);
      client.on("error", () => undefined);
      const arrived = new Promise<string>((resolve) => client.once("message", (_topic, text) => resolve(`${text}`)));
      client.subscribe(topic, { qos: 1 });
      return { client, arrived };
    };
    await fixture.server.arm("command.acknowledge:kill9");
    const first = await subscribed();
    assert.equal(await first.arrived, "open");
    assert.equal(await fixture.server.ended, null);
    first.client.end(true);
    await fixture.restart();
    const second = await subscribed();
    assert.equal(await second.arrived, "open");
    const left = async () => (await fixture.server.command("device.commands", about)).items.length;
    while ((await left()) > 0);
    await second.client.endAsync();
  });

  test("killed before a client's acknowledgement of a queued message is stored: the session stays, and the message is sent again", async () => {
    const device = await fixture.enroll();
    const topic = `t/acme/commands/${device.deviceId}`;
    const resumed = async () => {
      let arrive = (_text: string): void => undefined;
      const arrived = new Promise<string>((resolve) => {
        arrive = resolve;
      });
      const client = await connectMqtt(fixture.server, device, { clean: false }, (made) => {
        made.on("error", () => undefined);
        made.once("message", (_topic, text) => arrive(`${text}`));
      });
      return { client, arrived };
    };
    const { client: first } = await resumed();
    await first.subscribeAsync(topic, { qos: 1 });
    await first.endAsync();
    const name = { clientId: "crash-gateway", username: "crash-gateway" };
    const registered = { ...name, tenant: "acme", publish: [topic], subscribe: [] };
    const { password } = await fixture.server.command("mqtt-client.create", registered);
    const identity = { deviceId: name.clientId, fullchain: "", key: "", ca: fixture.server.ca };
    const gateway = await connectMqtt(fixture.server, identity, { username: name.username, password });
    gateway.on("error", () => undefined);
    await gateway.publishAsync(topic, "kept", { qos: 1 });
    await fixture.server.arm("stored.acknowledge:kill9");
    const second = await resumed();
    assert.equal(await second.arrived, "kept");
    assert.equal(await fixture.server.ended, null);
    for (const client of [second.client, gateway]) client.end(true);
    await fixture.restart();
    const third = await resumed();
    assert.equal(await third.arrived, "kept");
    await third.client.endAsync();
  });

  test("killed while a client with a delayed will is connected: the will is published after the restart", async () => {
    const device = await fixture.enroll();
    const topic = `t/acme/telemetry/${device.deviceId}`;
    const client = await connectMqtt(fixture.server, device, {
      protocolVersion: 5,
      clean: false,
      properties: { sessionExpiryInterval: 600 },
      will: { topic, payload: Buffer.from("gone"), qos: 1, retain: true, properties: { willDelayInterval: 1 } },
    });
    client.on("error", () => undefined);
    assert.equal(await fixture.server.end("SIGKILL"), null);
    client.end(true);
    await fixture.outdateHeartbeats();
    await fixture.restart();
    const name = { clientId: "will-reader", username: "will-reader" };
    const registered = { ...name, tenant: "acme", publish: [], subscribe: [topic] };
    const { password } = await fixture.server.command("mqtt-client.create", registered);
    const identity = { deviceId: name.clientId, fullchain: "", key: "", ca: fixture.server.ca };
    const reader = await connectMqtt(fixture.server, identity, { username: name.username, password });
    const arrived = new Promise<string>((resolve) => reader.once("message", (_topic, text) => resolve(`${text}`)));
    await reader.subscribeAsync(topic, { qos: 1 });
    assert.equal(await arrived, "gone");
    await reader.endAsync();
  });

  test("killed between the commit of a retained message and its acknowledgement: it is delivered after the restart", async () => {
    const device = await fixture.enroll();
    const topic = `t/acme/telemetry/${device.deviceId}`;
    const publisher = await connectMqtt(fixture.server, device);
    publisher.on("error", () => undefined);
    await publisher.publishAsync(topic, "acknowledged", { qos: 1, retain: true });
    await fixture.server.arm("retained.committed:kill9");
    publisher.publish(topic, "committed", { qos: 1, retain: true });
    assert.equal(await fixture.server.ended, null);
    publisher.end(true);
    await fixture.restart();
    const name = { clientId: "retained-reader", username: "retained-reader" };
    const registered = { ...name, tenant: "acme", publish: [], subscribe: [topic] };
    const { password } = await fixture.server.command("mqtt-client.create", registered);
    const identity = { deviceId: name.clientId, fullchain: "", key: "", ca: fixture.server.ca };
    const reader = await connectMqtt(fixture.server, identity, { username: name.username, password });
    const arrived = new Promise<string>((resolve) => reader.once("message", (_topic, text) => resolve(`${text}`)));
    await reader.subscribeAsync(topic, { qos: 1 });
    assert.equal(await arrived, "committed");
    await reader.endAsync();
  });

  test("an error after a commit returns 500, and the committed change stays", async () => {
    const claim = await fixture.claim();
    await fixture.server.arm("redeem.committed:throw");
    const answer = await fixture.redeem(claim.body);
    assert.deepEqual([answer.status, answer.json.error], [500, "internal_error"]);
    assert.equal(await fixture.used(claim.id), 1);
    await fixture.server.arm("redeem.commit:throw");
    const second = await fixture.claim();
    assert.equal((await fixture.redeem(second.body)).status, 500);
    assert.equal(await fixture.used(second.id), 0);
    assert.ok(deviceOf(await fixture.redeem(second.body), second.key).deviceId);
    await fixture.doctor();
  });

  if (onPostgres) {
    test("killed before the commit of a renewal, the old certificate is valid; after it, only the new one is", async () => {
      const device = await fixture.enroll();
      await fixture.killedAt("renew.commit", () => fixture.renew(device));
      assert.deepEqual(await statuses(device.deviceId), ["active"]);
      (await connectMqtt(fixture.server, device)).end(true);
      await fixture.doctor();

      await fixture.killedAt("renew.committed", () => fixture.renew(device));
      assert.deepEqual(await statuses(device.deviceId), ["active", "revoked superseded"]);
      const { answer } = await fixture.renew(device);
      assert.deepEqual([answer.status, answer.json.error], [401, "cert_invalid"]);
      await assert.rejects(connectMqtt(fixture.server, device));
      await fixture.doctor();
    });

    test("killed before the commit of a deletion, the device stays; after it, its certificates are revoked", async () => {
      const device = await fixture.enroll();
      const remove = () => fixture.server.command("device.delete", { tenant: "acme", id: device.deviceId });
      await fixture.killedAt("delete.commit", remove);
      assert.equal((await fixture.api("GET", `devices/${device.deviceId}`)).status, 200);
      await fixture.killedAt("delete.committed", remove);
      assert.equal((await fixture.api("GET", `devices/${device.deviceId}`)).status, 404);
      assert.deepEqual(await statuses(device.deviceId), ["revoked device_deleted"]);
      await assert.rejects(connectMqtt(fixture.server, device));
      await fixture.doctor();
    });

    test("killed before the commit of a bundle, no certificate is recorded; after it, one is, which can be revoked", async () => {
      await fixture.server.command("device.create", { tenant: "acme", id: "by-hand", name: "By hand" });
      const issue = () => fixture.api("POST", "device-certificates", { deviceId: "by-hand" });
      await fixture.killedAt("bundle.commit", issue);
      assert.deepEqual(await statuses("by-hand"), []);
      await fixture.killedAt("bundle.committed", issue);
      assert.deepEqual(await statuses("by-hand"), ["active"]);
      const [lost] = await fixture.certificates("by-hand");
      assert.equal((await fixture.api("DELETE", `device-certificates/${lost.id}`)).status, 204);
      assert.equal((await issue()).status, 201);
      await fixture.doctor();
    });

    test("killed before the commit of a revocation, the certificate is valid", async () => {
      const device = await fixture.enroll();
      const [certificate] = await fixture.certificates(device.deviceId);
      await fixture.killedAt("revoke.commit", () => fixture.api("DELETE", `device-certificates/${certificate.id}`));
      assert.deepEqual(await statuses(device.deviceId), ["active"]);
      (await connectMqtt(fixture.server, device)).end(true);
      await fixture.doctor();
    });

    // The embedded database admits one process.
    test("killed between a revocation and its drop: the other process closes the session", async () => {
      const other = await fixture.another();
      const device = await fixture.enroll();
      const client = await connectMqtt(other, device);
      client.on("error", () => undefined);
      const gone = closed(client);
      const [certificate] = await fixture.certificates(device.deviceId);
      await fixture.killedAt("revoke.committed", () => fixture.api("DELETE", `device-certificates/${certificate.id}`));
      await gone;
      client.end(true);
      await assert.rejects(connectMqtt(other, device));
      await fixture.doctor();
      await other.end("SIGTERM");
    });

    test("when the database ends a connection within a transaction, the answer is 503, nothing is stored, and the service continues", async () => {
      await fixture.server.command("device.create", { tenant: "acme", id: "cut", name: "Cut" });
      await fixture.server.arm("bundle.commit:hold");
      const asleep = fixture.server.asleep();
      const issued = fixture.api("POST", "device-certificates", { deviceId: "cut" });
      await asleep;
      await endConnections(fixture.databaseUrl!);
      fixture.server.release();
      const { status, json } = await issued;
      assert.deepEqual([status, json.error], [503, "catalog_unavailable"]);
      assert.equal((await fixture.api("POST", "device-certificates", { deviceId: "cut" })).status, 201);
      assert.deepEqual(await statuses("cut"), ["active"]);
      await fixture.doctor();
    });
  }

  async function statuses(deviceId: string): Promise<string[]> {
    const records = await fixture.certificates(deviceId);
    return records.map(({ status, revocationReason: why }: Record<string, string>) =>
      why ? `${status} ${why}` : status,
    );
  }
}
