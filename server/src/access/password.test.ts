import assert from "node:assert/strict";
import { test } from "node:test";
import { randomIds } from "../lib/ids.ts";
import { hashPassword, makePassword, verifyPassword } from "./password.ts";

test("a password verifies against its own hash, and no other password does", async () => {
  const password = makePassword(randomIds);
  assert.match(password, /^[0-9A-Za-z]{22}$/);
  const stored = await hashPassword(password, randomIds);
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await verifyPassword(password, stored), true);
  assert.equal(await verifyPassword(`${password} `, stored), false);
  assert.equal(await verifyPassword("", stored), false);
});

test("the hash agrees with another implementation of RFC 9106", async () => {
  // Made with the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1
  const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.equal(await verifyPassword("password", reference), true);
});

test("a wiped or foreign hash matches nothing", async () => {
  for (const stored of ["", "password", "$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA"])
    assert.equal(await verifyPassword("password", stored), false);
});

test("two hashes of the same password differ", async () => {
  assert.notEqual(await hashPassword("same", randomIds), await hashPassword("same", randomIds));
});
