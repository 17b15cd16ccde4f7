import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, MINUTE } from "../../src/lib/clock.ts";
import { ADDRESS, addTenant, refused, request, startRegistry } from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry();
});
after(() => registry.stop());

test("the answer that creates a claim shows its code; later answers show the last four characters", async () => {
  const tenant = await addTenant(registry);
  const { claimCode, ...made } = await registry.enrollment.createClaim(tenant.caller, { intendedName: " Hall 3 " });
  assert.match(claimCode, /^CLAIM(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  const now = registry.clock.now();
  assert.deepEqual(made, {
    id: made.id,
    intendedName: "Hall 3",
    intendedGroupIds: [],
    intendedDeviceTypeId: null,
    status: "pending",
    expired: false,
    maxUses: 1,
    usedCount: 0,
    codeHint: claimCode.slice(-4),
    expiresAt: new Date(now.getTime() + 60 * MINUTE),
    createdAt: now,
    createdBy: "system",
    revokedAt: null,
    revokedBy: null,
    lastRedeemedAt: null,
    deviceIds: [],
    reenrollsDeviceId: null,
  });
  assert.deepEqual(await registry.enrollment.getClaim(tenant.caller, made.id), made);
  const stored = await registry.database.db.selectFrom("claims").selectAll().where("id", "=", made.id).execute();
  assert.ok(!JSON.stringify(stored).includes(claimCode.replaceAll("-", "").slice(5)));
});

test("lifetime and uses outside their limits are invalid_claim_request, naming the limit", async () => {
  const { caller } = await addTenant(registry);
  const create = (more: object) => registry.enrollment.createClaim(caller, { intendedName: "x", ...more });
  const tooLong = await refused(create({ expiresInMinutes: 1441 }), "invalid_claim_request");
  assert.match(tooLong.message, /1440.*24 hours/);
  await refused(create({ expiresInMinutes: 4 }), "invalid_claim_request");
  assert.match((await refused(create({ maxUses: 101 }), "invalid_claim_request")).message, /100/);
  await refused(create({ maxUses: 0 }), "invalid_claim_request");
  await refused(create({ maxUses: 1.5 }), "invalid_request");
  await refused(create({ intendedName: "  " }), "invalid_request");
  await refused(create({ intendedName: "x".repeat(121) }), "invalid_request");
  const widest = await create({ expiresInMinutes: 1440, maxUses: 100 });
  assert.equal(widest.expiresAt.getTime() - widest.createdAt.getTime(), DAY);
  await create({ expiresInMinutes: 5, maxUses: 1 });
});

test("a group or type of no tenant or another one is invalid_request with its id in detail", async () => {
  const [mine, other] = [await addTenant(registry), await addTenant(registry)];
  const group = await registry.groups.createGroup(mine.caller, { name: "Hall" });
  const foreign = await registry.groups.createGroup(other.caller, { name: "Hall" });
  for (const bad of [foreign.id, "01a1fac2-4f95-7000-8000-000000000000", "no-uuid", "nul\0"]) {
    const ids = { intendedName: "x", intendedGroupIds: [group.id, bad] };
    assert.equal((await refused(registry.enrollment.createClaim(mine.caller, ids), "invalid_request")).detail, bad);
  }
  for (const bad of [other.deviceTypeId, "no-uuid"]) {
    const type = { intendedName: "x", intendedDeviceTypeId: bad };
    assert.equal((await refused(registry.enrollment.createClaim(mine.caller, type), "invalid_request")).detail, bad);
  }
  const good = await registry.enrollment.createClaim(mine.caller, {
    intendedName: "x",
    intendedGroupIds: [group.id, group.id],
    intendedDeviceTypeId: mine.deviceTypeId,
  });
  assert.deepEqual(good.intendedGroupIds, [group.id]);
});

test("claims are listed newest first, by status, page by page, within the tenant", async () => {
  const [mine, other] = [await addTenant(registry), await addTenant(registry)];
  const made = [];
  for (let index = 0; index < 4; index++) {
    made.unshift(await registry.enrollment.createClaim(mine.caller, { intendedName: `n${index}` }));
    registry.clock.advance(10);
  }
  await registry.enrollment.createClaim(other.caller, { intendedName: "foreign" });
  await registry.enrollment.revokeClaim(mine.caller, made[0]!.id);
  await registry.enrollment.redeemClaim({ address: ADDRESS }, request(made[3]!.claimCode));
  const list = (query: object) => registry.enrollment.listClaims(mine.caller, { skip: 0, limit: 100, ...query });
  const all = await list({});
  assert.deepEqual(
    all.items.map(({ id, status }) => [id, status]),
    [
      [made[0]!.id, "revoked"],
      [made[1]!.id, "pending"],
      [made[2]!.id, "pending"],
      [made[3]!.id, "used"],
    ],
  );
  assert.deepEqual([all.total, all.skip, all.limit], [4, 0, 100]);
  const page = await list({ status: "pending", skip: 1, limit: 1 });
  assert.deepEqual([page.items.map(({ id }) => id), page.total, page.skip, page.limit], [[made[2]!.id], 2, 1, 1]);
});

test("expiry leaves a claim pending and marks it expired", async () => {
  const { caller } = await addTenant(registry);
  const claim = await registry.enrollment.createClaim(caller, { intendedName: "x", expiresInMinutes: 5 });
  registry.clock.advance(5 * MINUTE - 1);
  assert.equal((await registry.enrollment.getClaim(caller, claim.id)).expired, false);
  registry.clock.advance(1);
  const { status, expired } = await registry.enrollment.getClaim(caller, claim.id);
  assert.deepEqual([status, expired], ["pending", true]);
});

test("revoking a claim is repeatable, keeps the first actor, and leaves a used claim unchanged", async () => {
  const { caller } = await addTenant(registry);
  const claim = await registry.enrollment.createClaim(caller, { intendedName: "x" });
  await registry.enrollment.revokeClaim(caller, claim.id);
  const revoked = await registry.enrollment.getClaim(caller, claim.id);
  assert.deepEqual([revoked.status, revoked.revokedBy], ["revoked", "system"]);
  registry.clock.advance(MINUTE);
  await registry.enrollment.revokeClaim({ ...caller, actor: "user:other" }, claim.id);
  assert.deepEqual(await registry.enrollment.getClaim(caller, claim.id), revoked);

  const used = await registry.enrollment.createClaim(caller, { intendedName: "x" });
  await registry.enrollment.redeemClaim({ address: ADDRESS }, request(used.claimCode));
  await registry.enrollment.revokeClaim(caller, used.id);
  const after = await registry.enrollment.getClaim(caller, used.id);
  assert.deepEqual([after.status, after.revokedAt], ["used", null]);
});

test("another tenant's claim is not_found, like one that does not exist", async () => {
  const [mine, other] = [await addTenant(registry), await addTenant(registry)];
  const claim = await registry.enrollment.createClaim(other.caller, { intendedName: "x" });
  const messages = new Set<string>();
  for (const id of [claim.id, "01a1fac2-4f95-7000-8000-000000000000", "no-uuid", "nul\0"]) {
    messages.add((await refused(registry.enrollment.getClaim(mine.caller, id), "not_found")).message);
    messages.add((await refused(registry.enrollment.revokeClaim(mine.caller, id), "not_found")).message);
  }
  assert.equal(messages.size, 1);
  assert.equal((await registry.enrollment.getClaim(other.caller, claim.id)).status, "pending");
});
