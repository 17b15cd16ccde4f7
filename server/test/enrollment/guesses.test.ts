import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR, MINUTE } from "../../src/lib/clock.ts";
import { addTenant, refused, request, startRegistry } from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry();
});
after(() => registry.stop());

test("after thirty guesses in ten minutes an address is rate limited for guesses, not for known codes", async () => {
  const tenant = await addTenant(registry);
  const guess = (address: string, claimCode = "CLAIM-0000-0000-0000") =>
    registry.enrollment.redeemClaim({ address }, request(claimCode));
  for (let n = 0; n < 15; n++) await refused(guess("198.51.100.1"), "invalid_claim_code");
  registry.clock.advance(4 * MINUTE);
  for (let n = 0; n < 15; n++) await refused(guess("::ffff:198.51.100.1", "nonsense"), "invalid_claim_code");
  const late = await refused(guess("198.51.100.1"), "rate_limited");
  assert.equal(late.extra?.retryAfterSeconds, 360);
  await refused(guess("198.51.100.2"), "invalid_claim_code");

  const known = await registry.enrollment.createClaim(tenant.caller, { intendedName: "Pump" });
  await guess("198.51.100.1", known.claimCode);
  await refused(guess("198.51.100.1", known.claimCode), "claim_exhausted");

  registry.clock.advance(6 * MINUTE - 1);
  await refused(guess("198.51.100.1"), "rate_limited");
  registry.clock.advance(1);
  await refused(guess("198.51.100.1"), "invalid_claim_code");
});

test("the addresses of an IPv6 /64 share one limit", async () => {
  const guess = (host: number, net = 1) =>
    registry.enrollment.redeemClaim({ address: `2001:db8:0:${net}::${host.toString(16)}` }, request("CLAIM"));
  for (let host = 0; host < 30; host++) await refused(guess(host), "invalid_claim_code");
  await refused(guess(99), "rate_limited");
  await refused(guess(99, 2), "invalid_claim_code");
});

test("further guesses of a rate-limited address cost no transaction", async (t) => {
  const guess = () => registry.enrollment.redeemClaim({ address: "198.51.100.7" }, request("CLAIM-0000-0000-0000"));
  for (let n = 0; n < 30; n++) await refused(guess(), "invalid_claim_code");
  await refused(guess(), "rate_limited");
  const transactions = t.mock.method(registry.database.db, "transaction");
  for (let n = 0; n < 5; n++) await refused(guess(), "rate_limited");
  assert.equal(transactions.mock.callCount(), 0);
  registry.clock.advance(10 * MINUTE);
  await refused(guess(), "invalid_claim_code");
  assert.equal(transactions.mock.callCount(), 1);
});

test("guesses outside every window are deleted", async () => {
  await refused(registry.enrollment.redeemClaim({ address: "203.0.113.9" }, request("CLAIM")), "invalid_claim_code");
  registry.clock.advance(HOUR);
  await registry.enrollment.prune();
  const left = await registry.database.db.selectFrom("claim_guesses").selectAll().execute();
  assert.deepEqual(left, []);
});
