import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkTemplates, resolveTopics } from "./topics.ts";

test("a template becomes the device's exact topic under the tenant's prefix", () => {
  assert.deepEqual(resolveTopics(["telemetry/{deviceId}", "{deviceId}/state/up"], "acme", "pump-1"), [
    "t/acme/telemetry/pump-1",
    "t/acme/pump-1/state/up",
  ]);
});

test("a template with two placeholders names the device twice", () => {
  assert.deepEqual(resolveTopics(["{deviceId}/x/{deviceId}"], "a", "d"), ["t/a/d/x/d"]);
});

test("templates that are absolute, empty, wildcards, malformed or without the device are refused", () => {
  const bad = ["telemetry", "", "/t/{deviceId}", "t/{deviceId}/", "a//{deviceId}", "#", "{deviceId}/#", "+/{deviceId}"];
  bad.push(
    "$SYS/{deviceId}",
    "a b/{deviceId}",
    "x-{deviceId}",
    "{deviceid}",
    "{deviceId}/é",
    "{deviceId}/\0",
    "../{deviceId}",
  );
  bad.push(`${"a/".repeat(100)}{deviceId}`, "{deviceId}/{deviceId}/{deviceId}/{deviceId}");
  for (const template of bad)
    assert.throws(() => checkTemplates([template]), { code: "invalid_request", detail: template }, template);
});

test("the error for an unknown placeholder names the valid one", () => {
  assert.throws(() => checkTemplates(["telemetry/{device}"]), /the only placeholder is \{deviceId\}\.$/);
});

test("a repeated template counts once, and an empty list is allowed", () => {
  assert.deepEqual(checkTemplates(["t/{deviceId}", "t/{deviceId}"]), ["t/{deviceId}"]);
  assert.deepEqual(checkTemplates([]), []);
});

test("an accepted template resolves to a plain topic of at most 256 bytes that only this device has", () => {
  const segment = fc.oneof(fc.constant("{deviceId}"), fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/));
  const template = fc.array(segment, { minLength: 1, maxLength: 8 }).map((segments) => segments.join("/"));
  const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
  fc.assert(
    fc.property(template, id, id, (each, one, other) => {
      let accepted: string[];
      try {
        accepted = checkTemplates([each]);
      } catch {
        return;
      }
      const topic = resolveTopics(accepted, "s".repeat(40), one)[0]!;
      assert.match(topic, /^t\/s+(\/[A-Za-z0-9_-]+)+$/);
      assert.ok(Buffer.byteLength(topic) <= 256);
      if (one !== other) assert.notEqual(resolveTopics(accepted, "s".repeat(40), other)[0], topic);
    }),
  );
});
