import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import { isMusterError } from "../../src/lib/errors.ts";
import { certificatesFromPem, platform } from "../../src/pki/pki.ts";
import { missingTool } from "../../src/pki/test-support/tools.ts";
import { caEnvironments, leafFrom, opensslVerify, statusesOf } from "../harness/authorities.ts";

const caEnvironment = caEnvironments();

test("ten processes that start simultaneously on an empty database create one hierarchy", async (t) => {
  const environment = await caEnvironment(t);
  const processes = await Promise.all(Array.from({ length: 10 }, () => environment.process()));
  const all = await processes[0]!.status();
  assert.deepEqual(all.map(({ role, status }) => `${role} ${status}`).sort(), [
    "broker_server active",
    "device_intermediate active",
    "device_root active",
    "https_server active",
    "server_root active",
  ]);
  for (const each of processes) {
    assert.equal(each.clientIssuers().deviceRoots, processes[0]!.clientIssuers().deviceRoots);
    assert.equal(each.clientCertChainPem(), processes[0]!.clientCertChainPem());
    assert.deepEqual(each.brokerTls(), processes[0]!.brokerTls());
  }
});

test("the next process finds the existing hierarchy", async (t) => {
  const environment = await caEnvironment(t);
  const first = await environment.process();
  const leaf = await leafFrom(first, environment.clock.now());
  await first.close();
  const second = await environment.process();
  assert.equal(second.serverCaBundlePem(), first.serverCaBundlePem());
  assert.deepEqual(second.verifyClientChain(leaf.der, certificatesFromPem(leaf.chainPem)), { verified: true });
});

test("a wrong master key is refused at the start, with the note that services share the key, and changes nothing", async (t) => {
  const environment = await caEnvironment(t);
  const before = await (await environment.process()).status();
  const wrong = environment.process({ masterKey: Buffer.alloc(32, 8) });
  await assert.rejects(
    wrong,
    (error) => isMusterError(error, "wrong_master_key") && /share .*MUSTER_MASTER_KEY_FILE\.$/.test(error.message),
  );
  assert.deepEqual(await (await environment.process()).status(), before);
});

test("a wrong master key is refused even when the check value is lost", async (t) => {
  const environment = await caEnvironment(t);
  await environment.process();
  await sql`DELETE FROM settings`.execute(environment.database.db);
  const wrong = environment.process({ masterKey: Buffer.alloc(32, 8) });
  await assert.rejects(wrong, (error) => isMusterError(error, "wrong_master_key"));
  await environment.process();
});

test("private keys in the table cannot be read without the master key", async (t) => {
  const environment = await caEnvironment(t);
  const authorities = await environment.process();
  const { rows } = await sql<{ private_key_pem: string }>`SELECT private_key_pem FROM authorities`.execute(
    environment.database.db,
  );
  assert.equal(rows.length, 5);
  for (const row of rows) assert.match(row.private_key_pem, /^-----BEGIN MUSTER SEALED PRIVATE KEY-----\n/);
  const { key } = authorities.brokerTls();
  const body = key.split("\n")[1]!;
  const dump = await sql<{ text: string }>`SELECT a::text AS text FROM authorities a`.execute(environment.database.db);
  for (const { text } of dump.rows) assert.ok(!text.includes(body));
});

test("the server certificates are for the public host and this machine, with separate keys", async (t) => {
  const environment = await caEnvironment(t);
  const authorities = await environment.process();
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

test("an IP address is accepted as the public host, a name that cannot be in a certificate is refused", async (t) => {
  const environment = await caEnvironment(t);
  await assert.rejects(environment.process({ publicHost: "two words" }), /host name/);
  const authorities = await environment.process({ publicHost: "2001:db8::1" });
  assert.ok(new X509Certificate(authorities.httpsTls().cert).checkIP("2001:db8::1"));
});

test("every certificate passes openssl verify -x509_strict with the bundles", {
  skip: missingTool("openssl"),
}, async (t) => {
  const environment = await caEnvironment(t);
  const authorities = await environment.process();
  const at = environment.clock.now();
  const leaf = await leafFrom(authorities, at, platform);
  const roots = authorities.clientIssuers().deviceRoots;
  opensslVerify({ certificate: leaf.pem, roots, chain: leaf.chainPem, purpose: "sslclient", at });
  assert.throws(() => opensslVerify({ certificate: leaf.pem, roots, purpose: "sslclient", at }), /unable to get/);
  for (const { cert } of [authorities.brokerTls(), authorities.httpsTls()]) {
    const bundle = authorities.serverCaBundlePem();
    opensslVerify({ certificate: cert, roots: bundle, purpose: "sslserver", host: "muster.example", at });
    assert.throws(() => opensslVerify({ certificate: cert, roots, purpose: "sslserver", at }), /unable to get/);
  }
});

test("a forwarded certificate is trusted only with its chain and only under a device root", async (t) => {
  const [environment, elsewhere] = [await caEnvironment(t), await caEnvironment(t)];
  const [authorities, foreign] = [await environment.process(), await elsewhere.process()];
  const leaf = await leafFrom(authorities, environment.clock.now());
  const other = await leafFrom(foreign, environment.clock.now());
  const verdict = (der: Buffer, chain: string) => authorities.verifyClientChain(der, certificatesFromPem(chain));
  assert.deepEqual(verdict(leaf.der, leaf.chainPem), { verified: true });
  assert.deepEqual(verdict(leaf.der, ""), { verified: false, problem: "no_chain" });
  assert.deepEqual(verdict(other.der, other.chainPem), { verified: false, problem: "wrong_ca" });
  const server = certificatesFromPem(authorities.brokerTls().cert)[0]!;
  assert.equal(verdict(server, authorities.serverCaBundlePem()).verified, false);
});

test("the database itself refuses a retired authority with a key", async (t) => {
  const environment = await caEnvironment(t);
  const authorities = await environment.process();
  await assert.rejects(
    sql`UPDATE authorities SET status = 'retired' WHERE role = 'device_root'`.execute(environment.database.db),
    /check constraint/,
  );
  assert.deepEqual(statusesOf(await authorities.status(), "device_root"), ["active"]);
});
