import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownClaims } from "./known-claims.ts";

const now = new Date("2026-01-01T00:00:00Z");
const later = new Date("2026-01-01T01:00:00Z");
const hmac = (of: string) => Buffer.from(of.padStart(32, "0"));
const claim = (id: string) => ({ id, tenantId: "t", expiresAt: later });

test("a claim is known by the HMAC of its code until it expires or is forgotten", () => {
  const known = new KnownClaims();
  known.remember(hmac("a"), claim("1"));
  assert.equal(known.find(hmac("a"), now)?.id, "1");
  assert.equal(known.find(hmac("a"), later), undefined);
  assert.equal(known.find(hmac("b"), now), undefined);
  known.forget("2");
  known.forget("1");
  assert.equal(known.find(hmac("a"), now), undefined);
});

test("beyond ten thousand claims, the oldest are evicted", () => {
  const known = new KnownClaims();
  for (let n = 0; n < 10_010; n++) known.remember(hmac(String(n)), claim(String(n)));
  assert.equal(known.find(hmac("9"), now), undefined);
  assert.equal(known.find(hmac("10"), now)?.id, "10");
  assert.equal(known.find(hmac("10009"), now)?.id, "10009");
});
