import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import type { Authorities } from "../src/authorities/authorities.ts";
import { DAY, HOUR, MINUTE } from "../src/lib/clock.ts";
import { certificatesFromPem, platform, selfEnrolled } from "../src/pki/pki.ts";
import { missingTool } from "../src/pki/test-support/tools.ts";
import { type CaWorld, caWorlds, leafFrom, opensslVerify, statusesOf } from "./harness/authorities.ts";

const caWorld = caWorlds();

async function started(t: TestContext): Promise<{ world: CaWorld; authorities: Authorities }> {
  const world = await caWorld(t);
  const authorities = await world.process();
  world.clock.advance(MINUTE);
  return { world, authorities };
}

function changesOf(authorities: Authorities): () => number {
  let count = 0;
  authorities.onChange(() => {
    count++;
  });
  return () => count;
}

/** Lives through `days`, maintaining every `step` days as the service does every hour. */
async function live(world: CaWorld, authorities: Authorities, days: number, step = 5): Promise<void> {
  for (let day = 0; day < days; day += step) {
    world.clock.advance(step * DAY);
    await authorities.maintain();
  }
}

/** Whether the chain a leaf was handed out with is believed now. */
function believes(authorities: Authorities, leaf: { der: Buffer; chainPem: string }): boolean {
  return authorities.verifyClientChain(leaf.der, certificatesFromPem(leaf.chainPem)).verified;
}

async function keysHeld(world: CaWorld): Promise<Record<string, boolean>> {
  const { rows } = await sql<{ id: string; held: boolean }>`
    SELECT id, private_key_pem IS NOT NULL AS held FROM authorities`.execute(world.database.db);
  return Object.fromEntries(rows.map(({ id, held }) => [id, held]));
}

test("maintenance with nothing due changes nothing and tells nobody", async (t) => {
  const { world, authorities } = await started(t);
  const changes = changesOf(authorities);
  const before = await authorities.status();
  await authorities.maintain();
  await live(world, authorities, 55);
  assert.deepEqual(await authorities.status(), before);
  assert.equal(changes(), 0);
});

test("server certificates are re-issued in their last third, once, and listeners are told", async (t) => {
  const { world, authorities } = await started(t);
  const changes = changesOf(authorities);
  const old = authorities.brokerTls();
  await live(world, authorities, 65);
  assert.notEqual(authorities.brokerTls().cert, old.cert);
  assert.notEqual(authorities.brokerTls().key, old.key);
  assert.equal(changes(), 1);
  assert.deepEqual(statusesOf(await authorities.status(), "broker_server"), ["retired", "active"]);
  assert.deepEqual(statusesOf(await authorities.status(), "https_server"), ["retired", "active"]);
});

test("processes that maintain at the same moment re-issue once, and all of them serve the same", async (t) => {
  const world = await caWorld(t);
  const processes = await Promise.all([world.process(), world.process(), world.process()]);
  world.clock.advance(65 * DAY);
  await Promise.all(processes.map((each) => each.maintain()));
  assert.deepEqual(statusesOf(await processes[0]!.status(), "broker_server"), ["retired", "active"]);
  for (const each of processes) assert.deepEqual(each.brokerTls(), processes[0]!.brokerTls());
});

test("a change made by one process reaches the others by itself", async (t) => {
  const world = await caWorld(t);
  const [one, other] = [await world.process(), await world.process()];
  const heard = new Promise<void>((resolve) => other.onChange(resolve));
  await one.rotateRoot();
  await heard;
  assert.equal(other.deviceRootsPem(), one.deviceRootsPem());
  assert.equal(other.serverCaBundlePem(), one.serverCaBundlePem());
  assert.equal(other.issuer().chainPem, one.issuer().chainPem);
});

test("a new public host is in the server certificates after the next start", async (t) => {
  const { world } = await started(t);
  const moved = await world.process({ publicHost: "new.example" });
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
  const { world, authorities } = await started(t);
  const other = await world.process({ publicHost: "other.example" });
  world.clock.advance(MINUTE);
  for (let round = 0; round < 3; round++) {
    await authorities.maintain();
    await other.maintain();
  }
  assert.deepEqual(statusesOf(await other.status(), "broker_server"), ["retired", "active"]);
});

test("every leaf issued in ten years ends before its issuer, and verifies until it ends", async (t) => {
  const { world, authorities } = await started(t);
  for (let year = 0; year < 10; year++) {
    const leaf = await leafFrom(authorities, world.clock.now(), platform);
    await live(world, authorities, 365, 73);
    assert.ok(leaf.notAfter >= world.clock.now());
    assert.ok(believes(authorities, leaf), `a leaf of year ${year}`);
  }
  const generations = statusesOf(await authorities.status(), "device_intermediate");
  assert.ok(generations.length >= 3);
  assert.equal(generations.at(-1), "active");
});

test("a root near its end is succeeded with time to spare, and the servers' root before its bundle is stale", async (t) => {
  const { world, authorities } = await started(t);
  await live(world, authorities, 3652 - 725, 60);
  const announced = (await authorities.status()).filter(({ role }) => role === "server_root");
  assert.deepEqual(
    announced.map(({ status }) => status),
    ["active", "upcoming"],
  );
  assert.equal(certificatesFromPem(authorities.serverCaBundlePem()).length, 2);
  const served = authorities.brokerTls().cert;
  const issuer = (cert: string) => new X509Certificate(cert).issuer;
  await live(world, authorities, 390, 30);
  assert.equal(issuer(authorities.brokerTls().cert), issuer(served), "for 400 days the old one serves");
  await live(world, authorities, 40, 5);
  assert.notEqual(issuer(authorities.brokerTls().cert), issuer(served));
  await live(world, authorities, 100, 10);
  assert.deepEqual(statusesOf(await authorities.status(), "server_root"), ["retired", "active"]);
  assert.equal(certificatesFromPem(authorities.serverCaBundlePem()).length, 1);

  await live(world, authorities, 3060, 60);
  assert.deepEqual(statusesOf(await authorities.status(), "device_root"), ["retiring", "active"]);
});

test("a service that slept past every end starts with fresh authorities", {
  skip: missingTool("openssl"),
}, async (t) => {
  const { world } = await started(t);
  world.clock.advance(8000 * DAY);
  const late = await world.process();
  const leaf = await leafFrom(late, world.clock.now(), platform);
  const at = world.clock.now();
  opensslVerify({
    certificate: leaf.pem,
    roots: late.deviceRootsPem(),
    chain: leaf.chainPem,
    purpose: "sslclient",
    at,
  });
  opensslVerify({ certificate: late.brokerTls().cert, roots: late.serverCaBundlePem(), purpose: "sslserver", at });
});

test("an intermediate retires, and its key is gone, when its last leaf has ended and not before", async (t) => {
  const { world, authorities } = await started(t);
  const leaf = await leafFrom(authorities, world.clock.now(), platform);
  const old = (await authorities.status()).find(({ role }) => role === "device_intermediate")!;
  await authorities.rotateIntermediate();
  await live(world, authorities, 365);
  assert.ok(believes(authorities, leaf));
  assert.equal((await keysHeld(world))[old.id], true);
  world.clock.advance(DAY + HOUR);
  await authorities.maintain();
  assert.equal((await keysHeld(world))[old.id], false);
  assert.deepEqual(statusesOf(await authorities.status(), "device_intermediate"), ["retired", "active"]);
  assert.equal(authorities.intermediatesDer().length, 1);
});

test("after rotate-root leaves of both roots are believed, the old root goes when its last leaf has ended", async (t) => {
  const { world, authorities } = await started(t);
  const before = await leafFrom(authorities, world.clock.now(), platform);
  await authorities.rotateRoot();
  const after = await leafFrom(authorities, world.clock.now(), platform);
  assert.equal(authorities.deviceRootsDer().length, 2);
  assert.notEqual(before.chainPem, after.chainPem);
  for (const leaf of [before, after]) {
    assert.ok(believes(authorities, leaf));
    opensslVerify({
      certificate: leaf.pem,
      roots: authorities.deviceRootsPem(),
      chain: leaf.chainPem,
      purpose: "sslclient",
      at: world.clock.now(),
    });
  }
  await live(world, authorities, 365);
  assert.equal(authorities.deviceRootsDer().length, 2);
  await live(world, authorities, 5);
  assert.equal(authorities.deviceRootsDer().length, 1);
  const renewed = await leafFrom(authorities, world.clock.now(), selfEnrolled);
  assert.ok(believes(authorities, renewed));
  const held = await keysHeld(world);
  for (const each of await authorities.status()) assert.equal(held[each.id], each.status !== "retired", each.name);
});

test("a new server root is in the bundle at once and in use only 35 days later", async (t) => {
  const { world, authorities } = await started(t);
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
      at: world.clock.now(),
    });
  await live(world, authorities, 34, 1);
  verifies(oldBundle);
  await live(world, authorities, 1, 1);
  assert.throws(() => verifies(oldBundle), /unable to get|self-signed/);
  verifies(bundle);
  assert.deepEqual(statusesOf(await authorities.status(), "server_root"), ["retiring", "active"]);
  await live(world, authorities, 95);
  assert.deepEqual(statusesOf(await authorities.status(), "server_root"), ["retired", "active"]);
  verifies(authorities.serverCaBundlePem());
});

test("a second rotate-root keeps the waiting server root; rotate-root immediately uses it at once", async (t) => {
  const { world, authorities } = await started(t);
  await authorities.rotateRoot();
  const bundle = authorities.serverCaBundlePem();
  world.clock.advance(MINUTE);
  await authorities.rotateRoot();
  assert.equal(authorities.serverCaBundlePem(), bundle);
  world.clock.advance(MINUTE);
  const after = await authorities.rotateRoot({ immediately: true });
  assert.deepEqual(statusesOf(after, "server_root"), ["retiring", "active"]);
  assert.deepEqual(statusesOf(after, "device_root"), ["retiring", "retiring", "retiring", "active"]);
  assert.equal(authorities.serverCaBundlePem().length, bundle.length);
});

test("rotations asked of several processes at once are all carried out, one after the other", async (t) => {
  const world = await caWorld(t);
  const processes = await Promise.all([world.process(), world.process()]);
  await Promise.all(processes.flatMap((each) => [each.rotateIntermediate(), each.rotateRoot(), each.rotateServer()]));
  const all = await processes[0]!.status();
  assert.equal(statusesOf(all, "device_root").filter((status) => status === "active").length, 1);
  assert.equal(statusesOf(all, "device_root").length, 3);
  assert.equal(statusesOf(all, "device_intermediate").length, 5);
  for (const each of processes) await each.maintain();
  assert.equal(processes[0]!.issuer().chainPem, processes[1]!.issuer().chainPem);
});

test("a listener that throws does not keep the others from the change", async (t) => {
  const { authorities } = await started(t);
  authorities.onChange(() => {
    throw new Error("the listener's own defect");
  });
  const changes = changesOf(authorities);
  await authorities.rotateServer();
  assert.equal(changes(), 1);
});
