import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureHeaders, webhookSecret } from "./webhook-secret.ts";

const NOW = new Date("2026-11-21T12:00:00Z");

test("every group, address and seed has its own secret, and the signature covers id, time and body", () => {
  const key = Buffer.alloc(32, 1);
  const secret = webhookSecret(key, "g", "https://a.example/", "1");
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(webhookSecret(key, "g", "https://a.example/", "1"), secret);
  for (const [group, target] of [
    ["h", "https://a.example/"],
    ["g", "https://b.example/"],
  ])
    assert.notEqual(webhookSecret(key, group!, target!, "1"), secret);
  const seeded = ["a", "b"].map((seed) => webhookSecret(key, "g", "https://a.example/", seed));
  assert.equal(new Set([secret, ...seeded]).size, 3);
  const headers = signatureHeaders([secret], "1", NOW, "{}");
  assert.equal(headers["webhook-timestamp"], "1795262400");
  for (const other of [signatureHeaders([secret], "2", NOW, "{}"), signatureHeaders([secret], "1", NOW, "[]")])
    assert.notEqual(other["webhook-signature"], headers["webhook-signature"]);
});

test("a message is signed with the current secret and with former ones that receivers may still use", () => {
  const secrets = [1, 2].map((octet) => webhookSecret(Buffer.alloc(32, octet), "g", "https://a.example/", "1"));
  const of = (given: string[]) => signatureHeaders(given, "1", NOW, "{}")["webhook-signature"];
  assert.equal(of(secrets), `${of([secrets[0]!])} ${of([secrets[1]!])}`);
});
