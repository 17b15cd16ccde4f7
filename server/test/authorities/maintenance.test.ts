import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import type { Authorities } from "../../src/authorities/authorities.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
import { certificatesFromPem, platform, selfEnrolled } from "../../src/pki/pki.ts";
import { missingTool } from "../../src/pki/test-support/tools.ts";
import { type CaEnvironment, caEnvironments, leafFrom, opensslVerify, statusesOf } from "../harness/authorities.ts";

const caEnvironment = caEnvironments();

async function started(t: TestContext): Promise<{ environment: CaEnvironment; authorities: Authorities }> {
  const environment = await caEnvironment(t);
  const authorities = await environment.process();
  environment.clock.advance(MINUTE);
  return { environment, authorities };
}

function changesOf(authorities: Authorities): () => number {
  let count = 0;
  authorities.onChange(() => {
    count++;
  });
  return () => count;
}

/** Lets `days` pass with maintenance every `step` days, as the service does every hour. */
async function live(environment: CaEnvironment, authorities: Authorities, days: number, step = 5): Promise<void> {
  for (let day = 0; day < days; day += step) {
    environment.clock.advance(step * DAY);
    await authorities.maintain();
  }
}

/** Returns whether a leaf's chain, as issued, is valid now. */
function believes(authorities: Authorities, leaf: { der: Buffer; chainPem: string }): boolean {
  return authorities.verifyClientChain(leaf.der, certificatesFromPem(leaf.chainPem)).verified;
}

async function keysStored(environment: CaEnvironment): Promise<Record<string, boolean>> {
  const { rows } = await sql<{ id: string; stored: boolean }>`
    SELECT id, private_key_pem IS NOT NULL AS stored FROM authorities`.execute(environment.database.db);
  return Object.fromEntries(rows.map(({ id, stored }) => [id, stored]));
}

test("maintenance with nothing due changes nothing and notifies no listener", async (t) => {
  const { environment, authorities } = await started(t);
  const changes = changesOf(authorities);
  const before = await authorities.status();
  await authorities.maintain();
  await live(environment, authorities, 55);
  assert.deepEqual(await authorities.status(), before);
  assert.equal(changes(), 0);
});

test("server certificates are re-issued once in their last third, and listeners are notified", async (t) => {
  const { environment, authorities } = await started(t);
  const changes = changesOf(authorities);
  const old = authorities.brokerTls();
  await live(environment, authorities, 65);
  assert.notEqual(authorities.brokerTls().cert, old.cert);
  assert.notEqual(authorities.brokerTls().key, old.key);
  assert.equal(changes(), 1);
  assert.deepEqual(statusesOf(await authorities.status(), "broker_server"), ["retired", "active"]);
  assert.deepEqual(statusesOf(await authorities.status(), "https_server"), ["retired", "active"]);
});

test("processes that run maintenance simultaneously re-issue once, and all of them serve the same certificate", async (t) => {
  const environment = await caEnvironment(t);
  const processes = await Promise.all([environment.process(), environment.process(), environment.process()]);
  environment.clock.advance(65 * DAY);
  await Promise.all(processes.map((each) => each.maintain()));
  assert.deepEqual(statusesOf(await processes[0]!.status(), "broker_server"), ["retired", "active"]);
  for (const each of processes) assert.deepEqual(each.brokerTls(), processes[0]!.brokerTls());
});

test("a change made by one process reaches the others automatically", async (t) => {
  const environment = await caEnvironment(t);
  const [one, other] = [await environment.process(), await environment.process()];
  const heard = new Promise<void>((resolve) => other.onChange(resolve));
  await one.rotateRoot();
  await heard;
  assert.equal(other.clientIssuers().deviceRoots, one.clientIssuers().deviceRoots);
  assert.equal(other.serverCaBundlePem(), one.serverCaBundlePem());
  assert.equal(other.issuer().chainPem, one.issuer().chainPem);
});

test("a new public host is in the server certificates after the next start", async (t) => {
  const { environment } = await started(t);
  const moved = await environment.process({ publicHost: "new.example" });
  const certificate = new X509Certificate(moved.brokerTls().cert);
  assert.ok(certificate.checkHost("new.example", { subject: "never" }));
  assert.ok(
    certificate.checkHost("muster.example", { subject: "never" }),
    "the old name serves until the next re-issue",
  );
  await moved.rotateServer();
  const next = new X509Certificate(moved.brokerTls().cert);
  assert.equal(next.checkHost("muster.example", { subject: "never" }), undefined);
});

test("two processes with different public hosts settle on one certificate for both", async (t) => {
  const { environment, authorities } = await started(t);
  const other = await environment.process({ publicHost: "other.example" });
  environment.clock.advance(MINUTE);
  for (let round = 0; round < 3; round++) {
    await authorities.maintain();
    await other.maintain();
  }
  assert.deepEqual(statusesOf(await other.status(), "broker_server"), ["retired", "active"]);
});

test("every leaf issued in ten years ends before its issuer, and verifies until it ends", async (t) => {
  const { environment, authorities } = await started(t);
  for (let year = 0; year < 10; year++) {
    const leaf = await leafFrom(authorities, environment.clock.now(), platform);
    await live(environment, authorities, 365, 73);
    assert.ok(leaf.notAfter >= environment.clock.now());
    assert.ok(believes(authorities, leaf), `a leaf of year ${year}`);
  }
  const generations = statusesOf(await authorities.status(), "device_intermediate");
  assert.ok(generations.length >= 3);
  assert.equal(generations.at(-1), "active");
});

test("a root is succeeded in time before its end, and the servers' root before its bundle is stale", async (t) => {
  const { environment, authorities } = await started(t);
  await live(environment, authorities, 3652 - 725, 60);
  const announced = (await authorities.status()).filter(({ role }) => role === "server_root");
  assert.deepEqual(
    announced.map(({ status }) => status),
    ["active", "upcoming"],
  );
  assert.equal(certificatesFromPem(authorities.serverCaBundlePem()).length, 2);
  const served = authorities.brokerTls().cert;
  const issuer = (cert: string) => new X509Certificate(cert).issuer;
  await live(environment, authorities, 390, 30);
  assert.equal(issuer(authorities.brokerTls().cert), issuer(served), "for 400 days the old one serves");
  await live(environment, authorities, 40, 5);
  assert.notEqual(issuer(authorities.brokerTls().cert), issuer(served));
  await live(environment, authorities, 100, 10);
  assert.deepEqual(statusesOf(await authorities.status(), "server_root"), ["retired", "active"]);
  assert.equal(certificatesFromPem(authorities.serverCaBundlePem()).length, 1);

  await live(environment, authorities, 3060, 60);
  assert.deepEqual(statusesOf(await authorities.status(), "device_root"), ["retiring", "active"]);
});

test("a service that starts after every expiry creates fresh authorities", {
  skip: missingTool("openssl"),
}, async (t) => {
  const { environment } = await started(t);
  environment.clock.advance(8000 * DAY);
  const late = await environment.process();
  const leaf = await leafFrom(late, environment.clock.now(), platform);
  const at = environment.clock.now();
  opensslVerify({
    certificate: leaf.pem,
    roots: late.clientIssuers().deviceRoots,
    chain: leaf.chainPem,
    purpose: "sslclient",
    at,
  });
  opensslVerify({ certificate: late.brokerTls().cert, roots: late.serverCaBundlePem(), purpose: "sslserver", at });
});

test("an intermediate retires and loses its key when its last leaf has ended, and not before", async (t) => {
  const { environment, authorities } = await started(t);
  const leaf = await leafFrom(authorities, environment.clock.now(), platform);
  const old = (await authorities.status()).find(({ role }) => role === "device_intermediate")!;
  await authorities.rotateIntermediate();
  await live(environment, authorities, 365);
  assert.ok(believes(authorities, leaf));
  assert.equal((await keysStored(environment))[old.id], true);
  environment.clock.advance(DAY + HOUR);
  await authorities.maintain();
  assert.equal((await keysStored(environment))[old.id], false);
  assert.deepEqual(statusesOf(await authorities.status(), "device_intermediate"), ["retired", "active"]);
  assert.equal(authorities.intermediatesDer().length, 1);
});

test("after rotate-root leaves of both roots are trusted; the old root retires when its last leaf has ended", async (t) => {
  const { environment, authorities } = await started(t);
  const before = await leafFrom(authorities, environment.clock.now(), platform);
  await authorities.rotateRoot();
  const after = await leafFrom(authorities, environment.clock.now(), platform);
  assert.equal(authorities.deviceRootsDer().length, 2);
  assert.notEqual(before.chainPem, after.chainPem);
  for (const leaf of [before, after]) {
    assert.ok(believes(authorities, leaf));
    opensslVerify({
      certificate: leaf.pem,
      roots: authorities.clientIssuers().deviceRoots,
      chain: leaf.chainPem,
      purpose: "sslclient",
      at: environment.clock.now(),
    });
  }
  await live(environment, authorities, 365);
  assert.equal(authorities.deviceRootsDer().length, 2);
  await live(environment, authorities, 5);
  assert.equal(authorities.deviceRootsDer().length, 1);
  const renewed = await leafFrom(authorities, environment.clock.now(), selfEnrolled);
  assert.ok(believes(authorities, renewed));
  const stored = await keysStored(environment);
  for (const each of await authorities.status()) assert.equal(stored[each.id], each.status !== "retired", each.name);
});

test("a new server root is in the bundle immediately and in use only 35 days later", async (t) => {
  const { environment, authorities } = await started(t);
  const oldBundle = authorities.serverCaBundlePem();
  await authorities.rotateRoot();
  const bundle = authorities.serverCaBundlePem();
  assert.equal(certificatesFromPem(bundle).length, 2);
  const verifies = (roots: string) =>
    opensslVerify({
      certificate: authorities.brokerTls().cert,
      roots,
      purpose: "sslserver",
      host: "muster.example",
      at: environment.clock.now(),
    });
  await live(environment, authorities, 34, 1);
  verifies(oldBundle);
  await live(environment, authorities, 1, 1);
  assert.throws(() => verifies(oldBundle), /unable to get|self-signed/);
  verifies(bundle);
  assert.deepEqual(statusesOf(await authorities.status(), "server_root"), ["retiring", "active"]);
  await live(environment, authorities, 95);
  assert.deepEqual(statusesOf(await authorities.status(), "server_root"), ["retired", "active"]);
  verifies(authorities.serverCaBundlePem());
});

test("a second rotate-root keeps the waiting server root; rotate-root immediately activates it", async (t) => {
  const { environment, authorities } = await started(t);
  await authorities.rotateRoot();
  const bundle = authorities.serverCaBundlePem();
  environment.clock.advance(MINUTE);
  await authorities.rotateRoot();
  assert.equal(authorities.serverCaBundlePem(), bundle);
  environment.clock.advance(MINUTE);
  const after = await authorities.rotateRoot({ immediately: true });
  assert.deepEqual(statusesOf(after, "server_root"), ["retiring", "active"]);
  assert.deepEqual(statusesOf(after, "device_root"), ["retiring", "retiring", "retiring", "active"]);
  assert.equal(authorities.serverCaBundlePem().length, bundle.length);
});

test("simultaneous rotations requested at several processes are all executed, one after the other", async (t) => {
  const environment = await caEnvironment(t);
  const processes = await Promise.all([environment.process(), environment.process()]);
  await Promise.all(processes.flatMap((each) => [each.rotateIntermediate(), each.rotateRoot(), each.rotateServer()]));
  const all = await processes[0]!.status();
  assert.equal(statusesOf(all, "device_root").filter((status) => status === "active").length, 1);
  assert.equal(statusesOf(all, "device_root").length, 3);
  assert.equal(statusesOf(all, "device_intermediate").length, 5);
  for (const each of processes) await each.maintain();
  assert.equal(processes[0]!.issuer().chainPem, processes[1]!.issuer().chainPem);
});

test("a listener that throws does not prevent the others' notification", async (t) => {
  const { authorities } = await started(t);
  authorities.onChange(() => {
    throw new Error("the listener's own defect");
  });
  const changes = changesOf(authorities);
  await authorities.rotateServer();
  assert.equal(changes(), 1);
});
