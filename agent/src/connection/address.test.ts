import assert from "node:assert/strict";
import { test } from "node:test";
import { addressText, referredAddress } from "./address.ts";

const text = (reference: string) => {
  const address = referredAddress(reference);
  return address === undefined ? undefined : addressText(address);
};

test("a server reference is a host with or without a port, or the first of several", () => {
  assert.equal(text("b.example:1883"), "b.example:1883");
  assert.equal(text(" b.example  c.example:1 "), "b.example:8883");
  assert.equal(text("[2001:db8::1]:9883"), "[2001:db8::1]:9883");
  assert.equal(text("mqtts://b.example"), "b.example:8883");
});

test("a reference that is not an address of MQTT over TLS is not followed", () => {
  for (const reference of ["", "::", "mqtt://b.example", "http://b.example", "b.example:99999", "[::1", "mqtts://"]) {
    assert.equal(text(reference), undefined, reference);
  }
});
