import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import { isMusterError } from "../src/lib/errors.ts";
import { certificatesFromPem, platform } from "../src/pki/pki.ts";
import { missingTool } from "../src/pki/test-support/tools.ts";
import { caWorlds, leafFrom, opensslVerify, statusesOf } from "./harness/authorities.ts";

const caWorld = caWorlds();

test("ten processes that start at once on an empty database make one hierarchy", async (t) => {
  const world = await caWorld(t);
  const processes = await Promise.all(Array.from({ length: 10 }, () => world.process()));
  const all = await processes[0]!.status();
  assert.deepEqual(all.map(({ role, status }) => `${role} ${status}`).sort(), [
    "broker_server active",
    "device_intermediate active",
    "device_root active",
    "https_server active",
    "server_root active",
  ]);
  for (const each of processes) {
    assert.equal(each.deviceRootsPem(), processes[0]!.deviceRootsPem());
    assert.equal(each.clientCertChainPem(), processes[0]!.clientCertChainPem());
    assert.deepEqual(each.brokerTls(), processes[0]!.brokerTls());
  }
});

test("the hierarchy is still there for the next process", async (t) => {
  const world = await caWorld(t);
  const first = await world.process();
  const leaf = await leafFrom(first, world.clock.now());
  await first.close();
  const second = await world.process();
  assert.equal(second.serverCaBundlePem(), first.serverCaBundlePem());
  assert.deepEqual(second.verifyClientChain(leaf.der, certificatesFromPem(leaf.chainPem)), { verified: true });
});

test("a wrong master key is refused at start, and changes nothing", async (t) => {
  const world = await caWorld(t);
  const before = await (await world.process()).status();
  const wrong = world.process({ masterKey: Buffer.alloc(32, 8) });
  await assert.rejects(wrong, (error) => isMusterError(error, "wrong_master_key"));
  assert.deepEqual(await (await world.process()).status(), before);
});

test("a wrong master key is refused even when the check value is lost", async (t) => {
  const world = await caWorld(t);
  await world.process();
  await sql`DELETE FROM settings`.execute(world.database.db);
  const wrong = world.process({ masterKey: Buffer.alloc(32, 8) });
  await assert.rejects(wrong, (error) => isMusterError(error, "wrong_master_key"));
  await world.process();
});

test("private keys in the table cannot be read without the master key", async (t) => {
  const world = await caWorld(t);
  const authorities = await world.process();
  const { rows } = await sql<{ private_key_pem: string }>`SELECT private_key_pem FROM authorities`.execute(
    world.database.db,
  );
  assert.equal(rows.length, 5);
  for (const row of rows) assert.match(row.private_key_pem, /^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/);
  const { key } = authorities.brokerTls();
  const body = key.split("\n")[1]!;
  const dump = await sql<{ text: string }>`SELECT a::text AS text FROM authorities a`.execute(world.database.db);
  for (const { text } of dump.rows) assert.ok(!text.includes(body));
});

test("the server certificates are for the public host and this machine, with keys of their own", async (t) => {
  const world = await caWorld(t);
  const authorities = await world.process();
  const [broker, https] = [authorities.brokerTls(), authorities.httpsTls()];
  assert.notEqual(broker.key, https.key);
  for (const { cert } of [broker, https]) {
    const parsed = new X509Certificate(cert);
    assert.ok(parsed.checkHost("muster.example", { subject: "never" }));
    assert.ok(parsed.checkHost("localhost", { subject: "never" }));
    assert.ok(parsed.checkIP("127.0.0.1"));
    assert.ok(parsed.checkIP("::1"));
    assert.equal(parsed.checkHost("other.example", { subject: "never" }), undefined);
  }
});

test("an address serves as public host, a name that cannot be in a certificate is refused", async (t) => {
  const world = await caWorld(t);
  await assert.rejects(world.process({ publicHost: "two words" }), /host name/);
  const authorities = await world.process({ publicHost: "2001:db8::1" });
  assert.ok(new X509Certificate(authorities.httpsTls().cert).checkIP("2001:db8::1"));
});

test("every certificate passes openssl verify -x509_strict with the bundles", {
  skip: missingTool("openssl"),
}, async (t) => {
  const world = await caWorld(t);
  const authorities = await world.process();
  const at = world.clock.now();
  const leaf = await leafFrom(authorities, at, platform);
  const roots = authorities.deviceRootsPem();
  opensslVerify({ certificate: leaf.pem, roots, chain: leaf.chainPem, purpose: "sslclient", at });
  assert.throws(() => opensslVerify({ certificate: leaf.pem, roots, purpose: "sslclient", at }), /unable to get/);
  for (const { cert } of [authorities.brokerTls(), authorities.httpsTls()]) {
    const bundle = authorities.serverCaBundlePem();
    opensslVerify({ certificate: cert, roots: bundle, purpose: "sslserver", host: "muster.example", at });
    assert.throws(() => opensslVerify({ certificate: cert, roots, purpose: "sslserver", at }), /unable to get/);
  }
});

test("a forwarded certificate is believed only with its chain and only under a device root", async (t) => {
  const [world, elsewhere] = [await caWorld(t), await caWorld(t)];
  const [authorities, foreign] = [await world.process(), await elsewhere.process()];
  const leaf = await leafFrom(authorities, world.clock.now());
  const other = await leafFrom(foreign, world.clock.now());
  const verdict = (der: Buffer, chain: string) => authorities.verifyClientChain(der, certificatesFromPem(chain));
  assert.deepEqual(verdict(leaf.der, leaf.chainPem), { verified: true });
  assert.deepEqual(verdict(leaf.der, ""), { verified: false, problem: "no_chain" });
  assert.deepEqual(verdict(other.der, other.chainPem), { verified: false, problem: "wrong_ca" });
  const server = certificatesFromPem(authorities.brokerTls().cert)[0]!;
  assert.equal(verdict(server, authorities.serverCaBundlePem()).verified, false);
});

test("a retired authority with a key is refused by the database itself", async (t) => {
  const world = await caWorld(t);
  const authorities = await world.process();
  await assert.rejects(
    sql`UPDATE authorities SET status = 'retired' WHERE role = 'device_root'`.execute(world.database.db),
    /check constraint/,
  );
  assert.deepEqual(statusesOf(await authorities.status(), "device_root"), ["active"]);
});
