import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type CrashWorld, crashWorld, deviceOf } from "./harness/crash.ts";
import { endConnections, onPostgres } from "./harness/database.ts";
import { closed, connectMqtt } from "./harness/devices.ts";

let world: CrashWorld;
before(async () => {
  world = await crashWorld();
});
after(() => world?.close());

/**
 * What a transaction leaves behind is the database's affair: on the embedded one each kind of death is proven once, before
 * a commit, after one, and between one and what follows it; on PostgreSQL every use case dies everywhere.
 */
const everywhere = <Point>(all: Point[], once: Point[]): Point[] => (onPostgres ? all : once);

for (const point of everywhere(["sign.before", "sign.after", "redeem.commit"], ["redeem.commit"])) {
  test(`killed at ${point} of a redemption: nothing happened, and the same request works after the restart`, async () => {
    const claim = await world.claim();
    await world.killedAt(point, () => world.redeem(claim.body));
    assert.equal(await world.used(claim.id), 0);
    const answer = await world.redeem(claim.body);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await world.used(claim.id), 1);
    assert.equal((await world.certificates(answer.json.deviceId)).length, 1);
    await world.doctor();
  });
}

test("killed after a redemption's commit: the use is taken once, and the books say what the client was not told", async () => {
  const claim = await world.claim(2);
  await world.killedAt("redeem.committed", () => world.redeem(claim.body));
  assert.equal(await world.used(claim.id), 1);
  const retry = await world.redeem(claim.body);
  assert.deepEqual([retry.status, retry.json.error], [401, "reenrollment_proof_required"]);
  assert.equal(await world.used(claim.id), 1);
  const [certificate] = await world.certificates();
  const { items } = (await world.api("GET", "device-certificates/audit?limit=200")).json;
  const enrolled = items.filter((entry: { certificateId: string }) => entry.certificateId === certificate.id);
  assert.deepEqual(
    enrolled.map(({ kind, actor }: { kind: string; actor: string }) => [kind, actor]),
    [["device_cert_enrolled", `claim:${claim.id}`]],
  );
  await world.doctor();
});

test("killed before a renewal's commit the old certificate goes on; after it, only the new one is in the books", async () => {
  const device = await world.enroll();
  await world.killedAt("renew.commit", () => world.renew(device));
  assert.deepEqual(await statuses(device.deviceId), ["active"]);
  (await connectMqtt(world.server, device)).end(true);
  await world.doctor();

  await world.killedAt("renew.committed", () => world.renew(device));
  assert.deepEqual(await statuses(device.deviceId), ["active", "revoked superseded"]);
  const { answer } = await world.renew(device);
  assert.deepEqual([answer.status, answer.json.error], [401, "cert_invalid"]);
  await assert.rejects(connectMqtt(world.server, device));
  await world.doctor();
});

for (const point of everywhere(["revoke.committed", "drop.deliver"], ["drop.deliver"])) {
  test(`killed at ${point}, between a revocation and its drop: refused when the device comes back`, async () => {
    const device = await world.enroll();
    const client = await connectMqtt(world.server, device);
    client.on("error", () => undefined);
    const [certificate] = await world.certificates(device.deviceId);
    await world.killedAt(point, () => world.api("DELETE", `device-certificates/${certificate.id}`));
    await closed(client);
    client.end(true);
    assert.deepEqual(await statuses(device.deviceId), ["revoked requested"]);
    await assert.rejects(connectMqtt(world.server, device));
    assert.equal((await world.renew(device)).answer.status, 401);
    await world.doctor();
  });
}

test("killed before a deletion's commit the device stays; after it, it is gone with its certificates", async () => {
  const device = await world.enroll();
  const remove = () => world.server.command("device.delete", { tenant: "acme", id: device.deviceId });
  await world.killedAt("delete.commit", remove);
  assert.equal((await world.api("GET", `devices/${device.deviceId}`)).status, 200);
  await world.killedAt("delete.committed", remove);
  assert.equal((await world.api("GET", `devices/${device.deviceId}`)).status, 404);
  assert.deepEqual(await statuses(device.deviceId), ["revoked device_deleted"]);
  await assert.rejects(connectMqtt(world.server, device));
  await world.doctor();
});

test("an error right after a commit is a 500, and the books stand", async () => {
  const claim = await world.claim();
  await world.server.arm("redeem.committed:throw");
  const answer = await world.redeem(claim.body);
  assert.deepEqual([answer.status, answer.json.error], [500, "internal_error"]);
  assert.equal(await world.used(claim.id), 1);
  await world.server.arm("redeem.commit:throw");
  const second = await world.claim();
  assert.equal((await world.redeem(second.body)).status, 500);
  assert.equal(await world.used(second.id), 0);
  assert.ok(deviceOf(await world.redeem(second.body), second.key).deviceId);
  await world.doctor();
});

if (onPostgres) {
  test("killed before a bundle's commit there is none; after it, one that may be revoked by its record", async () => {
    await world.server.command("device.create", { tenant: "acme", id: "by-hand", name: "By hand" });
    const issue = () => world.api("POST", "device-certificates", { deviceId: "by-hand" });
    await world.killedAt("bundle.commit", issue);
    assert.deepEqual(await statuses("by-hand"), []);
    await world.killedAt("bundle.committed", issue);
    assert.deepEqual(await statuses("by-hand"), ["active"]);
    const [lost] = await world.certificates("by-hand");
    assert.equal((await world.api("DELETE", `device-certificates/${lost.id}`)).status, 204);
    assert.equal((await issue()).status, 201);
    await world.doctor();
  });

  test("killed before a revocation's commit the certificate goes on", async () => {
    const device = await world.enroll();
    const [certificate] = await world.certificates(device.deviceId);
    await world.killedAt("revoke.commit", () => world.api("DELETE", `device-certificates/${certificate.id}`));
    assert.deepEqual(await statuses(device.deviceId), ["active"]);
    (await connectMqtt(world.server, device)).end(true);
    await world.doctor();
  });

  // Two processes need a database that admits two.
  test("killed between a revocation and its drop, the other process closes the session", async () => {
    const other = await world.another();
    const device = await world.enroll();
    const client = await connectMqtt(other, device);
    client.on("error", () => undefined);
    const gone = closed(client);
    const [certificate] = await world.certificates(device.deviceId);
    await world.killedAt("revoke.committed", () => world.api("DELETE", `device-certificates/${certificate.id}`));
    await gone;
    client.end(true);
    await assert.rejects(connectMqtt(other, device));
    await world.doctor();
  });

  test("the database ends a connection in the midst of a transaction: 503, nothing happened, the process lives", async () => {
    await world.server.command("device.create", { tenant: "acme", id: "cut", name: "Cut" });
    await world.server.arm("bundle.commit:sleep:500");
    const asleep = world.server.asleep();
    const issued = world.api("POST", "device-certificates", { deviceId: "cut" });
    await asleep;
    await endConnections(world.databaseUrl!);
    const { status, json } = await issued;
    assert.deepEqual([status, json.error], [503, "catalog_unavailable"]);
    assert.equal((await world.api("POST", "device-certificates", { deviceId: "cut" })).status, 201);
    assert.deepEqual(await statuses("cut"), ["active"]);
    await world.doctor();
  });
}

async function statuses(deviceId: string): Promise<string[]> {
  const records = await world.certificates(deviceId);
  return records.map(({ status, revocationReason: why }: Record<string, string>) =>
    why ? `${status} ${why}` : status,
  );
}
