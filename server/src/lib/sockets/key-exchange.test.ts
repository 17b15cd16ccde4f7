import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecureContext } from "node:tls";
import { hasHybridKeyExchange, keyExchangeGroups } from "./key-exchange.ts";

test("an OpenSSL without the hybrid group gets a list that it accepts", () => {
  const groups = keyExchangeGroups(() => false);
  assert.equal(groups, "X25519:P-256:P-384");
  createSecureContext({ ecdhCurve: groups });
});

test("the OpenSSL of the project's Node knows the hybrid group", () => {
  assert.equal(hasHybridKeyExchange(), true);
  createSecureContext({ ecdhCurve: keyExchangeGroups() });
});
