import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";
import { MOST_IN_WINDOW, planMails } from "../mail/digest.ts";
import { isPublicAddress } from "../webhooks/public-address.ts";
import { resolveTarget } from "../webhooks/resolve-target.ts";
import { signatureHeaders, webhookSecret } from "../webhooks/webhook-secret.ts";
import { retryAt } from "./back-off.ts";

const NOW = new Date("2026-11-21T12:00:00Z");

test("attempts come later and later, a quarter more or less, until a day has passed", () => {
  const delay = (attempt: number, chance = 0.5) => retryAt(NOW, attempt, NOW, chance)!.getTime() - NOW.getTime();
  assert.deepEqual(
    [1, 2, 3, 4].map((attempt) => delay(attempt)),
    [5, 10, 20, 40].map((n) => n * SECOND),
  );
  assert.deepEqual([delay(1, 0), delay(1, 1), delay(99)], [3.75 * SECOND, 6.25 * SECOND, HOUR]);
  assert.equal(retryAt(addMs(NOW, HOUR / 2 - DAY), 20, NOW, 0.5), undefined);
  let [at, attempts]: [Date | undefined, number] = [NOW, 0];
  while (at) at = retryAt(NOW, ++attempts, at, 0.5);
  assert.ok(attempts > 20 && attempts < 40, `${attempts} attempts`);
});

test("nobody gets more than 20 mails in a minute, what may have been sent before stays itself, nothing waits in vain", () => {
  const count = fc.nat(60);
  fc.assert(
    fc.property(count, count, count, (sent, fresh, again) => {
      const plan = planMails({ sent, fresh, again });
      const mails = plan.again + (plan.fresh === "each" ? fresh : plan.fresh === "digest" ? 1 : 0);
      assert.ok(plan.again <= again);
      assert.ok(mails <= Math.max(MOST_IN_WINDOW - sent, 0));
      if (sent + fresh + again <= MOST_IN_WINDOW) assert.deepEqual(plan, { again, fresh: "each" });
      if (sent < MOST_IN_WINDOW && fresh > 0) assert.notEqual(plan.fresh, "wait");
    }),
  );
  assert.deepEqual(planMails({ sent: 0, fresh: 21, again: 0 }), { again: 0, fresh: "digest" });
  assert.deepEqual(planMails({ sent: 20, fresh: 1, again: 0 }), { again: 0, fresh: "wait" });
});

const ELSEWHERE = [
  "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.0.9 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 198.18.0.1",
  "192.0.0.8 192.0.2.1 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255",
  ":: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::7f00:1 64:ff9b::7f00:1 fe80::1 fe80::1%eth0 fc00::1",
  "fd00:ec2::254 fec0::1 ff02::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 localhost 1.2.3 0x7f.1",
]
  .join(" ")
  .split(" ");

test("an address that is not of the public internet is known as such, however it is written", () => {
  for (const address of ELSEWHERE) assert.equal(isPublicAddress(address), false, address);
  for (const address of ["1.1.1.1", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2606:4700::1111", "2a00:1450::1"])
    assert.equal(isPublicAddress(address), true, address);
});

test("a webhook is looked up once, and refused when any of its addresses is elsewhere", async () => {
  let asked = 0;
  const answers =
    (...addresses: string[]) =>
    async () => {
      asked++;
      return addresses;
    };
  const target = (url: string, resolve = answers("1.1.1.1"), allow = false) =>
    resolveTarget(new URL(url), resolve, allow);
  assert.equal(await target("https://hooks.example/x", answers("1.1.1.1", "2606:4700::1111")), "1.1.1.1");
  assert.equal(asked, 1);
  await assert.rejects(target("https://hooks.example/x", answers("1.1.1.1", "10.0.0.1")), /public internet/);
  await assert.rejects(target("https://hooks.example/x", answers()), /no address/);
  await assert.rejects(target("http://hooks.example/x"), /https/);
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "017700000001", "[::1]", "[::ffff:10.0.0.1]", "[fd00::1]"])
    await assert.rejects(target(`https://${host}/x`), /public internet/, host);
  assert.equal(asked, 3);
  assert.equal(await target("https://[::1]:8443/x", answers(), true), "::1");
});

test("every group and address has a secret of its own, and the signature follows id, time and body", () => {
  const key = Buffer.alloc(32, 1);
  const secret = webhookSecret(key, "g", "https://a.example/");
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(webhookSecret(key, "g", "https://a.example/"), secret);
  for (const [group, target] of [
    ["h", "https://a.example/"],
    ["g", "https://b.example/"],
  ])
    assert.notEqual(webhookSecret(key, group!, target!), secret);
  const headers = signatureHeaders(secret, "1", NOW, "{}");
  assert.equal(headers["webhook-timestamp"], "1795262400");
  for (const other of [signatureHeaders(secret, "2", NOW, "{}"), signatureHeaders(secret, "1", NOW, "[]")])
    assert.notEqual(other["webhook-signature"], headers["webhook-signature"]);
});
