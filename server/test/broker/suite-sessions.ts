import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import { certificatesFromPem } from "../../src/pki/pki.ts";
import { connectPacket, type RawClient, rawClient } from "./raw-client.ts";
import { besides, closed, connect, eventually, journal, type MakeEngine, startWorld, type World } from "./world.ts";

const TAKEOVERS = 50;
const ROUNDS = 20;

export function sessionRules(makeEngine: MakeEngine): void {
  let world: World;
  before(async () => {
    world = await startWorld(makeEngine);
  });
  after(() => world.stop());

  test("a second connection takes the first one's session over", async () => {
    const caller = await world.newTenant();
    const device = await world.enroll({ caller });
    const first = await connect(world, device);
    const second = await connect(world, device);
    await closed(first);
    assert.equal(second.connected, true);
    assert.notEqual(world.engine.sessionOf(device.deviceId), undefined);
    assert.deepEqual(await journal(world, caller), ["takeover"]);
    await world.connections.flush();
    const { connectivity } = await world.devices.getDevice(caller, device.deviceId);
    assert.equal(connectivity.status, "online", "the first one's end is no news of the device");
    await second.endAsync();
  });

  test(`exactly one session is left of ${TAKEOVERS} simultaneous connects, whoever dies before its CONNACK`, async () => {
    for (let round = 0; round < 4; round++) {
      const device = await world.enroll();
      const clients = await Promise.all(Array.from({ length: TAKEOVERS }, () => rawClient(world, device)));
      for (const [index, client] of clients.entries()) {
        client.send(connectPacket({ clientId: device.deviceId, keepAlive: 0 }));
        if (index % 5 === round) client.socket.destroy();
      }
      const open = () => clients.filter(({ socket }) => !socket.destroyed && !socket.readableEnded);
      await eventually(async () => open().length <= 1);
      await allAnswered(open());
      assert.ok(open().length <= 1, `${open().length} are open`);
      const [left] = open();
      left?.send([0xc0, 0]);
      // One of those that died may have been entered last and ended this one too: then none is left, which is as good.
      const answer = await left?.atLeast(6).catch(() => undefined);
      if (left && answer) {
        assert.deepEqual([...answer], [0x20, 2, 0, 0, 0xd0, 0]);
        await world.connections.flush();
        const { connectivity } = await world.devices.getDevice(world.caller, device.deviceId);
        // It may have been ended since, as above.
        const ended = () => left.socket.destroyed || left.socket.readableEnded;
        assert.ok(connectivity.status === "online" || (await eventually(async () => ended())), connectivity.status);
      }
      const last = await connect(world, device);
      if (left) await left.ended;
      await last.endAsync();
    }
  });

  test("a revocation closes the session and no later message of it is stored", async () => {
    const device = await world.enroll();
    const client = await connect(world, device);
    let sent = 0;
    const sending = setInterval(() => {
      client.publish(device.topic, JSON.stringify({ n: ++sent }), { qos: 0 });
    }, 1);
    await eventually(async () => (await world.telemetry.listLatest(world.caller, device.deviceId)).length > 0);
    await world.enrollment.revokeCertificate(world.caller, device.certificateId);
    assert.equal(world.engine.sessionOf(device.deviceId), undefined, "gone when the revocation returns");
    const stored = (await world.telemetry.listLatest(world.caller, device.deviceId))[0]?.value;
    await closed(client);
    clearInterval(sending);
    await world.telemetry.drain();
    assert.equal((await world.telemetry.listLatest(world.caller, device.deviceId))[0]?.value, stored);
    const { connected } = await world.certificates.getCertificate(world.caller, device.certificateId);
    assert.equal(connected, false);
    await assert.rejects(connect(world, device), /Not authorized/);
  });

  test("a revocation closes the sessions of that certificate only", async () => {
    const device = await world.enroll();
    const bystander = await world.enroll();
    const [client, other] = [await connect(world, device), await connect(world, bystander)];
    await world.enrollment.revokeCertificate(world.caller, device.certificateId);
    await closed(client);
    await other.publishAsync(bystander.topic, '{"a":1}', { qos: 1 });
    await other.endAsync();
  });

  test("a certificate superseded by renewal keeps its session and is refused at the next connect", async () => {
    const device = await world.enroll();
    const client = await connect(world, device);
    const key = await makeKey();
    const [der] = certificatesFromPem(device.cert);
    const renewed = await world.enrollment.renewCertificate(
      { address: "127.0.0.1", peer: { der: der!, verified: true } },
      { csr: makeCsr(key) },
    );
    await client.publishAsync(device.topic, '{"a":1}', { qos: 1 });
    await assert.rejects(connect(world, device), /Not authorized/);
    assert.equal(client.connected, true, "a refused connect disturbs nobody");
    const fresh = { ...device, fullchain: renewed.clientCert + renewed.clientCertChain, key };
    const next = await connect(world, fresh);
    await closed(client);
    await next.endAsync();
  });

  test("an explicit revocation of a superseded certificate closes its leftover session", async () => {
    const device = await world.enroll();
    const client = await connect(world, device);
    const [der] = certificatesFromPem(device.cert);
    const peer = { der: der!, verified: true };
    await world.enrollment.renewCertificate({ address: "127.0.0.1", peer }, { csr: makeCsr(await makeKey()) });
    await world.enrollment.revokeCertificate(world.caller, device.certificateId);
    await closed(client);
    assert.equal(world.engine.sessionOf(device.deviceId), undefined);
  });

  test("deleting a device drops its session and refuses its certificate", async () => {
    const device = await world.enroll();
    const client = await connect(world, device);
    await world.enrollment.deleteDevice(world.caller, device.deviceId);
    await closed(client);
    await assert.rejects(connect(world, device), /Not authorized/);
  });

  test("a revocation between the look at the books and the admission leaves no session open", async (t) => {
    let between = async (): Promise<void> => undefined;
    const own = await besides(t, makeEngine, world, {
      around: (policy) => ({
        ...policy,
        connect: async (request) => {
          const verdict = await policy.connect(request);
          await between();
          return verdict;
        },
        sessionUp: async (principal, session) => {
          const up = await policy.sessionUp(principal, session);
          await between();
          return up;
        },
      }),
    });
    for (let step = 0; step < 2; step++) {
      const device = await own.enroll();
      let calls = 0;
      between = async () => {
        if (calls++ === step) await own.enrollment.revokeCertificate(own.caller, device.certificateId);
      };
      await assert.rejects(connect(own, device));
      assert.equal(own.engine.sessionOf(device.deviceId), undefined);
    }
  });

  test(`of ${ROUNDS} revocations at any moment of a connect none leaves a session open`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const device = await world.enroll();
      const client = await rawClient(world, device);
      client.send(connectPacket({ clientId: device.deviceId }));
      for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
      await world.enrollment.revokeCertificate(world.caller, device.certificateId);
      await client.ended;
      assert.equal(world.engine.sessionOf(device.deviceId), undefined);
    }
  });

  test("a broken connection is noticed and its device goes offline", async () => {
    const device = await world.enroll();
    const client = await connect(world, device);
    client.stream.destroy();
    const reason = await eventually(async () => {
      const { connectivity } = await world.devices.getDevice(world.caller, device.deviceId);
      return connectivity.status === "offline" && connectivity.reason;
    });
    assert.equal(reason, "connection_lost");
    assert.equal(world.engine.sessionOf(device.deviceId), undefined);
  });
}

/** Resolves when each has its CONNACK or has been hung up on. */
async function allAnswered(clients: RawClient[]): Promise<void> {
  await Promise.all(clients.map((client) => client.atLeast(4).catch(() => undefined)));
}
