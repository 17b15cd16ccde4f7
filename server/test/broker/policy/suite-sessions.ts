import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeCsr, makeKey } from "../../../../agent/src/csr.ts";
import { enqueueDrops } from "../../../src/connections/connections.ts";
import { certificatesFromPem } from "../../../src/pki/pki.ts";
import { eventually } from "../../harness/eventually.ts";
import { closed, connect, journal, startBroker, type TestBroker, withEngine } from "../environment.ts";
import type { Place } from "../place.ts";
import { connectPacket, type RawClient, rawClient } from "../raw-client.ts";

const TAKEOVERS = 50;
const ROUNDS = 20;

export function sessionRules(place: Place): void {
  let broker: TestBroker;
  before(async () => {
    broker = await startBroker(place);
  });
  after(() => broker.stop());

  test("the second connection of a device closes the first", async () => {
    const caller = await broker.newTenant();
    const device = await broker.enroll({ caller });
    const first = await connect(broker, device);
    const second = await connect(broker, device);
    await closed(first);
    assert.equal(second.connected, true);
    assert.notEqual(broker.sessionOf(device.deviceId), undefined);
    // If it is at another node, the process of the first connection records it.
    await eventually(async () => (await journal(broker, caller)).length > 0);
    assert.deepEqual(await journal(broker, caller), ["takeover"]);
    await broker.connections.flush();
    const { connectivity } = await broker.devices.getDevice(caller, device.deviceId);
    assert.equal(connectivity.status, "online", "the end of the first session does not change the device");
    await second.endAsync();
  });

  test(`at most one of ${TAKEOVERS} simultaneous connects stays open, also when some close before their CONNACK`, async () => {
    for (let round = 0; round < 4; round++) {
      const device = await broker.enroll();
      const clients = await Promise.all(Array.from({ length: TAKEOVERS }, () => rawClient(broker, device)));
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
      // A connection that closed early may have been opened last, and its takeover may have closed this one too, so
      // none may be left.
      const answer = await left?.atLeast(6).catch(() => undefined);
      if (left && answer) {
        assert.deepEqual([...answer], [0x20, 2, 0, 0, 0xd0, 0]);
        await broker.connections.flush();
        const { connectivity } = await broker.devices.getDevice(broker.caller, device.deviceId);
        // It may have been closed since then, as above.
        const ended = () => left.socket.destroyed || left.socket.readableEnded;
        assert.ok(connectivity.status === "online" || (await eventually(async () => ended())), connectivity.status);
      }
      const last = await connect(broker, device);
      if (left) await left.ended;
      await last.endAsync();
    }
  });

  test("a revocation closes the session, and no later message of the session is stored", async () => {
    const device = await broker.enroll();
    const client = await connect(broker, device);
    let sent = 0;
    const sending = setInterval(() => {
      client.publish(device.topic, JSON.stringify({ n: ++sent }), { qos: 0 });
    }, 1);
    await eventually(async () => (await broker.telemetry.listLatest(broker.caller, device.deviceId)).length > 0);
    await broker.enrollment.revokeCertificate(broker.caller, device.certificateId);
    assert.equal(broker.sessionOf(device.deviceId), undefined, "closed when the revocation returns");
    await broker.stored();
    const stored = (await broker.telemetry.listLatest(broker.caller, device.deviceId))[0]?.value;
    await closed(client);
    clearInterval(sending);
    await broker.stored();
    assert.equal((await broker.telemetry.listLatest(broker.caller, device.deviceId))[0]?.value, stored);
    const { connected } = await broker.certificates.getCertificate(broker.caller, device.certificateId);
    assert.equal(connected, false);
    await assert.rejects(connect(broker, device), /Not authorized/);
  });

  test("a revocation closes only the sessions of that certificate", async () => {
    const device = await broker.enroll();
    const bystander = await broker.enroll();
    const [client, other] = [await connect(broker, device), await connect(broker, bystander)];
    await broker.enrollment.revokeCertificate(broker.caller, device.certificateId);
    await closed(client);
    await other.publishAsync(bystander.topic, '{"a":1}', { qos: 1 });
    await other.endAsync();
  });

  test("a certificate replaced by renewal keeps its session and is refused at the next connect", async () => {
    const device = await broker.enroll();
    const client = await connect(broker, device);
    const key = await makeKey();
    const [der] = certificatesFromPem(device.cert);
    const renewed = await broker.enrollment.renewCertificate(
      { address: "127.0.0.1", peer: { der: der!, verified: true } },
      { csr: makeCsr(key) },
    );
    await client.publishAsync(device.topic, '{"a":1}', { qos: 1 });
    await assert.rejects(connect(broker, device), /Not authorized/);
    assert.equal(client.connected, true, "a refused connect leaves the open session alone");
    const fresh = { ...device, fullchain: renewed.clientCert + renewed.clientCertChain, key };
    const next = await connect(broker, fresh);
    await closed(client);
    await next.endAsync();
  });

  test("the revocation of a certificate that was replaced by renewal closes its remaining session", async () => {
    const device = await broker.enroll();
    const client = await connect(broker, device);
    const [der] = certificatesFromPem(device.cert);
    const peer = { der: der!, verified: true };
    await broker.enrollment.renewCertificate({ address: "127.0.0.1", peer }, { csr: makeCsr(await makeKey()) });
    await broker.enrollment.revokeCertificate(broker.caller, device.certificateId);
    await closed(client);
    assert.equal(broker.sessionOf(device.deviceId), undefined);
  });

  test("the deletion of a device drops its session and refuses its certificate", async () => {
    const device = await broker.enroll();
    const client = await connect(broker, device);
    await broker.enrollment.deleteDevice(broker.caller, device.deviceId);
    await closed(client);
    await assert.rejects(connect(broker, device), /Not authorized/);
  });

  test("a revocation between the certificate check and the admission leaves no session open", async (t) => {
    let between = async (): Promise<void> => undefined;
    const own = await withEngine(t, place, broker, {
      around: (policy) => ({
        ...policy,
        authorizeConnect: async (request) => {
          const decision = await policy.authorizeConnect(request);
          await between();
          return decision;
        },
        openSession: async (principal, session) => {
          const opened = await policy.openSession(principal, session);
          await between();
          return opened;
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
      assert.ok(await eventually(async () => own.sessionOf(device.deviceId) === undefined));
    }
  });

  test("if a session closes while it replaces another, neither stays open", async (t) => {
    let afterOpening = async (_sessionId: string): Promise<void> => undefined;
    const own = await withEngine(t, place, broker, {
      around: (policy) => ({
        ...policy,
        openSession: async (principal, session) => {
          const opened = await policy.openSession(principal, session);
          await afterOpening(session.sessionId);
          return opened;
        },
      }),
    });
    const device = await own.enroll();
    const first = await connect(own, device);
    afterOpening = async (sessionId) => {
      const { node_id: nodeId } = await own.database.db
        .selectFrom("mqtt_sessions")
        .select("node_id")
        .where("session_id", "=", sessionId)
        .executeTakeFirstOrThrow();
      const drop = { sessionIds: [sessionId], nodeId, reason: "test", staysValid: true } as const;
      await own.connections.awaitDrops(await enqueueDrops(own.database.db, drop, own.clock.now()), 60_000);
    };
    await assert.rejects(connect(own, device));
    await closed(first);
    assert.ok(await eventually(async () => own.sessionOf(device.deviceId) === undefined));
  });

  test(`none of ${ROUNDS} revocations at different moments of a connect leaves a session open`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const device = await broker.enroll();
      const client = await rawClient(broker, device);
      client.send(connectPacket({ clientId: device.deviceId }));
      for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
      await broker.enrollment.revokeCertificate(broker.caller, device.certificateId);
      await client.ended;
      // Its connection may end while the session is still being opened.
      assert.ok(await eventually(async () => broker.sessionOf(device.deviceId) === undefined));
    }
  });

  test("a device whose connection breaks goes offline", async () => {
    const device = await broker.enroll();
    const client = await connect(broker, device);
    client.stream.destroy();
    const reason = await eventually(async () => {
      const { connectivity } = await broker.devices.getDevice(broker.caller, device.deviceId);
      return connectivity.status === "offline" && connectivity.reason;
    });
    assert.equal(reason, "connection_lost");
    assert.equal(broker.sessionOf(device.deviceId), undefined);
  });
}

/** Resolves when each client has its CONNACK or its connection has closed. */
async function allAnswered(clients: RawClient[]): Promise<void> {
  await Promise.all(clients.map((client) => client.atLeast(4).catch(() => undefined)));
}
