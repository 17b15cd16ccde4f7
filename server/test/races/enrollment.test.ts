import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import { onPostgres } from "../harness/database/database.ts";
import { ADDRESS, addTenant, csrOf, enroll, peerOf, request, type Tenant } from "../harness/enrollment.ts";
import { type Job, type RaceTrack, startRaces, tally } from "./races.ts";

// With MUSTER_TEST_DATABASE_URL each race is between two server processes; otherwise within the process of the embedded
// database.
let track: RaceTrack;
before(async () => {
  track = await startRaces();
});
after(() => track.stop());

// Within one process every round has the same outcome.
const ROUNDS = onPostgres ? 5 : 2;
const from = { address: ADDRESS };
const redeem = (claimCode: string, more: Record<string, unknown> = {}, peer?: ReturnType<typeof peerOf>): Job => ({
  use: "redeemClaim",
  args: [{ ...from, peer }, request(claimCode, more)],
});
const renew = (peer: ReturnType<typeof peerOf>): Job => ({
  use: "renewCertificate",
  args: [{ ...from, peer }, { csr: csrOf() }],
});
const claimOf = (tenant: Tenant, more: object = {}) =>
  track.enrollment.createClaim(tenant.caller, { intendedName: "Pump", ...more });
const page = { skip: 0, limit: 200 };
const certificates = async (tenant: Tenant, deviceId: string) =>
  (await track.certificates.listCertificates(tenant.caller, { ...page, deviceId })).items;
const times = <T>(n: number, make: (index: number) => T): T[] => Array.from({ length: n }, (_, index) => make(index));

test("the last use of a claim, redeemed fifty times simultaneously, enrolls one device", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS; round++) {
    const claim = await claimOf(tenant);
    const outcomes = await track.race(times(50, () => redeem(claim.claimCode)));
    assert.deepEqual(tally(outcomes), { ok: 1, claim_exhausted: 49 });
    const { deviceIds, usedCount, status } = await track.enrollment.getClaim(tenant.caller, claim.id);
    assert.deepEqual([deviceIds.length, usedCount, status], [1, 1, "used"]);
  }
  await track.assertConsistent();
});

test("a claim of n uses, redeemed n + 20 times simultaneously, enrolls n devices", async () => {
  const tenant = await addTenant(track);
  for (const n of [2, 7, 30]) {
    const claim = await claimOf(tenant, { maxUses: n });
    const outcomes = await track.race(times(n + 20, () => redeem(claim.claimCode)));
    assert.deepEqual(tally(outcomes), { ok: n, claim_exhausted: 20 });
    assert.equal((await track.enrollment.getClaim(tenant.caller, claim.id)).deviceIds.length, n);
  }
  await track.assertConsistent();
});

test("one fingerprint redeemed twenty times simultaneously enrolls one device and counts one use", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS; round++) {
    const claims = [await claimOf(tenant, { maxUses: 20 }), await claimOf(tenant, { maxUses: 20 })];
    const hardwareFingerprint = `twin-${round}`;
    const jobs = times(20, (at) => redeem(claims[at % 3 === 0 ? 0 : 1]!.claimCode, { hardwareFingerprint }));
    assert.deepEqual(tally(await track.race(jobs)), { ok: 1, reenrollment_proof_required: 19 });
    const used = await Promise.all(claims.map(({ id }) => track.enrollment.getClaim(tenant.caller, id)));
    assert.equal(used[0]!.usedCount + used[1]!.usedCount, 1);
  }
  await track.assertConsistent();
});

test("two claims with one numbered name, redeemed simultaneously, give each number once", async () => {
  const tenant = await addTenant(track);
  const name = { intendedName: "Pump {n}", maxUses: 30 };
  const claims = [await claimOf(tenant, name), await claimOf(tenant, name)];
  assert.deepEqual(tally(await track.race(times(60, (at) => redeem(claims[at % 2]!.claimCode)))), { ok: 60 });
  const { items } = await track.devices.listDevices(tenant.caller, page);
  const numbered = times(60, (at) => `Pump ${at + 1}`);
  assert.deepEqual(items.map((device) => device.name).sort(), numbered.sort());
});

test("redemptions racing the claim's revocation enroll before it or are refused", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS; round++) {
    const claim = await claimOf(tenant, { maxUses: 100 });
    const jobs = times(20, () => redeem(claim.claimCode));
    jobs.splice(5, 0, { use: "revokeClaim", args: [tenant.caller, claim.id] });
    const { ok = 0, claim_revoked = 0, ...rest } = tally(await track.race(jobs));
    assert.deepEqual(rest, {});
    assert.equal(ok + claim_revoked, 21);
    const { status, usedCount, deviceIds } = await track.enrollment.getClaim(tenant.caller, claim.id);
    assert.deepEqual([status, usedCount, deviceIds.length], ["revoked", ok - 1, ok - 1]);
    assert.deepEqual(tally(await track.race([redeem(claim.claimCode)])), { claim_revoked: 1 });
  }
  await track.assertConsistent();
});

test("no process redeems a claim at the instant of its expiry", async () => {
  const tenant = await addTenant(track);
  const claim = await claimOf(tenant, { expiresInMinutes: 5, maxUses: 100 });
  track.clock.advance(5 * MINUTE - 1);
  assert.deepEqual(tally(await track.race(times(10, () => redeem(claim.claimCode)))), { ok: 10 });
  track.clock.advance(1);
  assert.deepEqual(tally(await track.race(times(10, () => redeem(claim.claimCode)))), { claim_expired: 10 });
});

test("of ten simultaneous bundles for one device, two are issued", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS; round++) {
    const deviceId = `capped-${round}`;
    await track.devices.createDevice(tenant.caller, { id: deviceId, name: "Pump" });
    const outcomes = await track.race(times(10, () => ({ use: "issueBundle", args: [tenant.caller, { deviceId }] })));
    assert.deepEqual(tally(outcomes), { ok: 2, device_cert_cap_reached: 8 });
  }
  await track.assertConsistent();
});

test("a bundle racing a re-enrollment of the device: the second sees the first", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS * 2; round++) {
    // The device has enrolled before, but has only a live bundle: the proof for the redemption.
    const device = await enroll(track, tenant);
    const { deviceId } = device.answer;
    const [selfEnrolled] = await certificates(tenant, deviceId);
    const override = { deviceId, acknowledgeSelfEnrollmentOverride: true };
    const bundle = await track.enrollment.issueBundle(tenant.caller, override);
    await track.enrollment.revokeCertificate(tenant.caller, selfEnrolled!.id);
    const claim = await claimOf(tenant);
    const { hardwareFingerprint } = device.body;
    const [redeemed, issued] = await track.race([
      redeem(claim.claimCode, { hardwareFingerprint }, peerOf(bundle.clientCertPem)),
      { use: "issueBundle", args: [tenant.caller, { deviceId }] },
    ]);
    assert.equal(redeemed!.code, "ok");
    assert.ok(["ok", "device_self_enrolled"].includes(issued!.code), issued!.code);
  }
  await track.assertConsistent();
});

test("a client id that two tenants request simultaneously goes to one of them", async () => {
  const [one, two] = [await addTenant(track), await addTenant(track)];
  for (let round = 0; round < ROUNDS * 2; round++) {
    const deviceId = `shared-${round}`;
    for (const { caller } of [one, two]) await track.devices.createDevice(caller, { id: deviceId, name: "Pump" });
    const jobs = times(
      8,
      (at): Job => ({ use: "issueBundle", args: [[one, two][Math.floor(at / 2) % 2]!.caller, { deviceId }] }),
    );
    const outcomes = await track.race(jobs);
    const { ok, client_id_in_use, device_cert_cap_reached = 0, ...rest } = tally(outcomes);
    assert.deepEqual([rest, ok, client_id_in_use, device_cert_cap_reached], [{}, 2, 4, 2]);
    const holders = [one, two].map(
      async (tenant) => (await track.certificates.listCertificates(tenant.caller, { ...page, deviceId })).total,
    );
    assert.deepEqual((await Promise.all(holders)).sort(), [0, 2]);
  }
  await track.assertConsistent();
});

test("a device's first certificate racing an MQTT client of the same id: one of them gets the id", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS * 2; round++) {
    const deviceId = `gateway-${round}-${tenant.slug}`;
    await track.devices.createDevice(tenant.caller, { id: deviceId, name: "Pump" });
    const client = { clientId: deviceId, username: deviceId, publish: [], subscribe: [] };
    const outcomes = await track.race([
      { use: "issueBundle", args: [tenant.caller, { deviceId }] },
      { use: "createMqttClient", args: [tenant.caller, client] },
    ]);
    assert.equal(outcomes.filter(({ code }) => code === "ok").length, 1, JSON.stringify(tally(outcomes)));
  }
  await track.assertConsistent();
});

test("of ten simultaneous renewals of one certificate, one succeeds", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS; round++) {
    const { peer, answer } = await enroll(track, tenant);
    assert.deepEqual(tally(await track.race(times(10, () => renew(peer)))), { ok: 1, cert_invalid: 9 });
    const mine = await certificates(tenant, answer.deviceId);
    assert.deepEqual(mine.map(({ status }) => status).sort(), ["active", "revoked"]);
  }
  await track.assertConsistent();
});

test("a renewal racing a revocation: the certificate is revoked, or superseded before it", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS * 2; round++) {
    const { peer, answer } = await enroll(track, tenant);
    const [certificate] = await certificates(tenant, answer.deviceId);
    const revoke: Job = { use: "revokeCertificate", args: [tenant.caller, certificate!.id] };
    const jobs = round % 2 === 0 ? [renew(peer), revoke] : [revoke, renew(peer)];
    const outcomes = await track.race(jobs);
    const renewed = outcomes[jobs[0] === revoke ? 1 : 0]!.code;
    assert.equal(outcomes[jobs[0] === revoke ? 0 : 1]!.code, "ok");
    const mine = await certificates(tenant, answer.deviceId);
    const old = mine.find(({ id }) => id === certificate!.id)!;
    assert.equal(old.status, "revoked");
    assert.deepEqual(
      [renewed, old.revocationReason, mine.length],
      renewed === "ok" ? ["ok", "superseded", 2] : ["cert_invalid", "requested", 1],
    );
  }
  await track.assertConsistent();
});

test("re-enrollments racing the revocation of their proof: none is recorded after it", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS * 2; round++) {
    const { peer, body, answer } = await enroll(track, tenant);
    const [certificate] = await certificates(tenant, answer.deviceId);
    const claim = await claimOf(tenant, { maxUses: 10 });
    const { hardwareFingerprint } = body;
    const jobs = times(9, () => redeem(claim.claimCode, { hardwareFingerprint }, peer));
    jobs.splice(round % 9, 0, { use: "revokeCertificate", args: [tenant.caller, certificate!.id] });
    const { ok = 0, reenrollment_proof_required = 0, ...rest } = tally(await track.race(jobs));
    assert.deepEqual([rest, ok + reenrollment_proof_required], [{}, 10]);
    assert.equal((await track.enrollment.getClaim(tenant.caller, claim.id)).usedCount, ok - 1);
    // Both write their audit entries while they lock the device's row, so the entries have the order of the decisions.
    const last = await track.database.db
      .selectFrom("certificate_audit")
      .select("kind")
      .where("tenant_id", "=", tenant.caller.tenantId)
      .where("device_id", "=", answer.deviceId)
      .orderBy("seq", "desc")
      .executeTakeFirst();
    assert.equal(last?.kind, "device_cert_revoked", `round ${round}: an enrollment on a revoked proof`);
  }
  await track.assertConsistent();
});

test("revoking one bundle while issuing another keeps the client id leased to the live one", async () => {
  const tenant = await addTenant(track);
  const { caller } = tenant;
  for (let round = 0; round < ROUNDS; round++) {
    const ids = times(10, (at) => `swap-${round}-${at}-${tenant.slug}`);
    const pairs = ids.map(async (deviceId): Promise<Job[]> => {
      await track.devices.createDevice(caller, { id: deviceId, name: "Pump" });
      const { id } = await track.enrollment.issueBundle(caller, { deviceId });
      return [
        { use: "issueBundle", args: [caller, { deviceId }] },
        { use: "revokeCertificate", args: [caller, id] },
      ];
    });
    assert.deepEqual(tally(await track.race((await Promise.all(pairs)).flat())), { ok: 20 });
    await track.assertConsistent();
  }
});

test("deleting a device during renewals and re-enrollments leaves it no live certificate", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS * 2; round++) {
    const { peer, body, answer } = await enroll(track, tenant);
    const claim = await claimOf(tenant, { maxUses: 10 });
    const { hardwareFingerprint } = body;
    const remove: Job = { use: "deleteDevice", args: [tenant.caller, answer.deviceId] };
    const jobs = [renew(peer), redeem(claim.claimCode, { hardwareFingerprint }, peer), redeem(claim.claimCode)];
    jobs.splice(round % 4, 0, remove);
    const outcomes = await track.race(jobs);
    for (const { code } of outcomes)
      assert.ok(["ok", "cert_invalid"].includes(code) || code.startsWith("reenroll"), code);
    const live = (await certificates(tenant, answer.deviceId)).filter(({ status }) => status === "active");
    assert.deepEqual(live, []);
    await assert.rejects(track.devices.getDevice(tenant.caller, answer.deviceId));
  }
  await track.assertConsistent();
});

test("ten devices that enroll simultaneously with one key each get a finding", async () => {
  const tenant = await addTenant(track);
  for (let round = 0; round < ROUNDS; round++) {
    const csr = csrOf();
    const claims = await Promise.all(times(10, () => claimOf(tenant)));
    const outcomes = await track.race(claims.map(({ claimCode }) => redeem(claimCode, { csr })));
    assert.deepEqual(tally(outcomes), { ok: 10 });
    const ids: string[] = outcomes.map(({ result }) => result.deviceId);
    const found = await track.database.db
      .selectFrom("device_findings as f")
      .innerJoin("devices as d", "d.uid", "f.device_uid")
      .select("d.id")
      .where("d.id", "in", ids)
      .execute();
    assert.deepEqual(found.map(({ id }) => id).sort(), ids.sort());
  }
  await track.assertConsistent();
});

test("of a hundred simultaneous guesses over two processes, seventy are rate limited", async () => {
  const guess: Job = { use: "redeemClaim", args: [{ address: "198.51.100.77" }, request("CLAIM-0000-0000-0000")] };
  assert.deepEqual(tally(await track.race(times(100, () => guess))), { invalid_claim_code: 30, rate_limited: 70 });
});
