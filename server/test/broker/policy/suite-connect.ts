import assert from "node:assert/strict";
import { generateKeyPairSync, hash, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import type { EphemeralKeyInfo } from "node:tls";
import { DAY } from "../../../src/lib/clock.ts";
import { randomIds } from "../../../src/lib/ids.ts";
import {
  createDeviceRoot,
  createIssuingIntermediate,
  fileSigner,
  issueLeaf,
  newSerialNumber,
  type Signer,
  selfEnrolled,
} from "../../../src/pki/pki.ts";
import { eventually } from "../../harness/eventually.ts";
import { keyExchanges, refusedKeyExchanges } from "../../harness/http/key-exchanges.ts";
import { brokerFor, connect, journal, startBroker, type TestBroker } from "../environment.ts";
import type { Place } from "../place.ts";
import { connectPacket, rawClient } from "../raw-client.ts";

async function leafOf(signer: Signer, commonName: string, now: Date) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const leaf = await issueLeaf(
    {
      profile: selfEnrolled,
      commonName,
      serialNumber: newSerialNumber(randomIds),
      spki: publicKey.export({ format: "der", type: "spki" }),
      now,
    },
    signer,
  );
  return { pem: leaf.pem, key: privateKey.export({ format: "pem", type: "pkcs8" }) as string };
}

export function connectRules(place: Place): void {
  let broker: TestBroker;
  before(async () => {
    broker = await startBroker(place);
  });
  after(() => broker.stop());

  test("a device connects with its certificate, chain and exact id, and is online until it disconnects", async () => {
    const device = await broker.enroll();
    const client = await connect(broker, device);
    const online = await eventually(async () => {
      const { connectivity } = await broker.devices.getDevice(broker.caller, device.deviceId);
      return connectivity.status === "online";
    });
    assert.equal(online, true);
    const certificate = await broker.certificates.getCertificate(broker.caller, device.certificateId);
    assert.equal(certificate.connected, true);
    assert.deepEqual(certificate.lastConnectedAt, broker.clock.now());
    await client.endAsync();
    const offline = await eventually(async () => {
      const { connectivity } = await broker.devices.getDevice(broker.caller, device.deviceId);
      return connectivity.status === "offline" && connectivity.reason;
    });
    assert.equal(offline, "disconnected");
  });

  test("a leaf without its chain is refused and recorded in its tenant's journal", async () => {
    const caller = await broker.newTenant();
    const device = await broker.enroll({ caller });
    await assert.rejects(connect(broker, { ...device, fullchain: device.cert }));
    assert.equal(await eventually(async () => (await journal(broker, caller))[0]), "no_chain");
    const { deviceId, cert } = device;
    const [refusal] = (await broker.connections.listRefusals(caller, { deviceId, skip: 0, limit: 1 })).items;
    assert.equal(refusal?.fingerprintSha256, hash("sha256", new X509Certificate(cert).raw));
    await (await connect(broker, device)).endAsync();
  });

  test("another authority's certificate is refused, even if it names a device", async () => {
    const device = await broker.enroll();
    const now = broker.clock.now();
    const root = createDeviceRoot({ name: "Other", now, validDays: 100, serialNumber: newSerialNumber(randomIds) });
    const issuing = createIssuingIntermediate(
      { name: "Other issuing", now, validDays: 90, serialNumber: newSerialNumber(randomIds) },
      root,
    );
    const leaf = await leafOf(fileSigner(issuing.certificateDer, issuing.privateKey), device.deviceId, now);
    const fullchain = leaf.pem + issuing.certificatePem + root.certificatePem;
    await assert.rejects(connect(broker, { ...device, fullchain, key: leaf.key }));
  });

  test("a certificate that our authority signed but did not record is refused", async () => {
    const device = await broker.enroll();
    const { signer, chainPem } = broker.authorities.issuer();
    const leaf = await leafOf(signer, device.deviceId, broker.clock.now());
    await assert.rejects(
      connect(broker, { ...device, fullchain: leaf.pem + chainPem, key: leaf.key }),
      /Not authorized/,
    );
  });

  test("a client id that differs from the device id in any byte is refused, and other clients' sessions stay open", async () => {
    const caller = await broker.newTenant();
    const device = await broker.enroll({ caller });
    const victim = await broker.enroll({ caller });
    const session = await connect(broker, victim);
    const id = device.deviceId;
    const wrong = [id.toUpperCase(), ` ${id}`, `${id} `, `acct-${id}`, `${caller.tenantSlug}/${id}`, `${id}x`];
    for (const clientId of [...wrong, id.slice(0, -1), victim.deviceId, `${id.slice(0, -1)}а`]) {
      await assert.rejects(connect(broker, device, { clientId }), /Identifier rejected/, clientId);
    }
    assert.equal(session.connected, true);
    await session.publishAsync(victim.topic, '{"a":1}', { qos: 1 });
    await session.endAsync();
    assert.deepEqual(new Set(await journal(broker, caller)), new Set(["client_id_mismatch"]));
  });

  test("a revoked certificate is refused at every connect", async () => {
    const caller = await broker.newTenant();
    const device = await broker.enroll({ caller });
    await broker.enrollment.revokeCertificate(caller, device.certificateId);
    for (let round = 0; round < 3; round++) await assert.rejects(connect(broker, device), /Not authorized/);
    assert.equal((await journal(broker, caller))[0], "revoked");
  });

  test("a client without certificate and password is refused", async () => {
    const device = await broker.enroll();
    await assert.rejects(connect(broker, { ca: device.ca, deviceId: device.deviceId }), /Not authorized/);
  });

  test("an unknown MQTT version is answered with 0x84, and a version under another protocol name with return code 1", async () => {
    const device = await broker.enroll();
    for (const [level, answer] of [
      [6, [0x20, 3, 0, 0x84, 0]],
      [3, [0x20, 2, 0, 1]],
    ] as const) {
      const client = await rawClient(broker, device);
      client.send(connectPacket({ clientId: device.deviceId, level }));
      await client.ended;
      assert.deepEqual([...client.received()], answer);
    }
  });

  test("TLS sessions are not resumed, so that every handshake verifies the certificate", async () => {
    const device = await broker.enroll();
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const first = await rawClient(broker, device, { maxVersion });
      let session = first.socket.getSession();
      first.socket.on("session", (fresh) => {
        session = fresh;
      });
      first.send(connectPacket({ clientId: device.deviceId }));
      await first.atLeast(4);
      first.socket.destroy();
      const second = await rawClient(broker, undefined, { maxVersion, ...(session ? { session } : {}) });
      assert.equal(second.socket.isSessionReused(), false, maxVersion);
      second.send(connectPacket({ clientId: device.deviceId }));
      assert.equal((await second.atLeast(4))[3], 5, "a client without its certificate is not authorized");
      await second.ended;
    }
  });

  test("TLS older than 1.2 and suites without forward secrecy or authenticated encryption are refused", async () => {
    const device = await broker.enroll();
    const offers = [
      { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA" },
      { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256:AES256-GCM-SHA384" },
    ] as const;
    for (const offer of offers) {
      const client = await rawClient(broker, device, offer);
      await client.ended;
      assert.equal(client.socket.getCipher()?.name, undefined, JSON.stringify(offer));
    }
    const good = await rawClient(broker, device, { maxVersion: "TLSv1.2" });
    assert.match(good.socket.getCipher().name, /^ECDHE-ECDSA-.*GCM/);
    good.socket.destroy();
  });

  test("the hybrid post-quantum key exchange is preferred, and devices with classical groups connect as before", async () => {
    const device = await broker.enroll();
    for (const [options, expected] of keyExchanges) {
      const client = await rawClient(broker, device, options);
      client.send(connectPacket({ clientId: device.deviceId }));
      assert.deepEqual([...(await client.atLeast(4))], [0x20, 2, 0, 0], JSON.stringify(options));
      assert.equal((client.socket.getEphemeralKeyInfo() as EphemeralKeyInfo).name, expected, JSON.stringify(options));
      client.socket.destroy();
    }
    for (const options of refusedKeyExchanges) {
      const client = await rawClient(broker, device, options);
      await client.ended;
      assert.equal(client.socket.getCipher()?.name, undefined, JSON.stringify(options));
    }
  });

  test("a session outlives the expiry of its certificate, which is refused at the next connect", async (t) => {
    const own = await brokerFor(t, place);
    const device = await own.enroll();
    own.clock.advance(30 * DAY - 1);
    const client = await connect(own, device);
    own.clock.advance(1);
    await assert.rejects(connect(own, device), /Not authorized/);
    assert.equal((await journal(own))[0], "expired");
    own.clock.advance(31 * DAY);
    await client.publishAsync(device.topic, '{"a":1}', { qos: 1 });
    await own.stored();
    assert.equal((await own.telemetry.listLatest(own.caller, device.deviceId))[0]?.value, 1);
    await client.endAsync();
  });

  test("while the database is unreachable, connects are refused and sessions stay open", async (t) => {
    const own = await brokerFor(t, place);
    const [device, late] = [await own.enroll(), await own.enroll()];
    const client = await connect(own, device);
    await own.loseDatabase();
    await assert.rejects(connect(own, late), /Server unavailable/);
    let ponged = false;
    client.on("packetreceive", (received) => {
      ponged ||= received.cmd === "pingresp";
    });
    client.sendPing();
    assert.equal(await eventually(async () => ponged), true);
    assert.equal(client.connected, true);
    client.end(true);
  });
}
