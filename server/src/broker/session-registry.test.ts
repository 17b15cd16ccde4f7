import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "./policy/policy.ts";
import { type RegisteredSession, SessionRegistry } from "./session-registry.ts";

function principal(certificateId: string): Principal {
  return { certificateId, deviceUid: `device-of-${certificateId}` } as Principal;
}

function session(registry: SessionRegistry, sessionId: string) {
  const made: RegisteredSession & { ended: string[] } = {
    sessionId,
    ended: [],
    end: async (reason) => {
      made.ended.push(reason);
      registry.remove(made);
    },
    deliverCommands: () => undefined,
  };
  return made;
}

test("a drop ends the sessions of its target and no others", async () => {
  const registry = new SessionRegistry();
  const [one, two, other] = [session(registry, "1"), session(registry, "2"), session(registry, "3")];
  for (const [each, certificate] of [
    [one, "a"],
    [two, "a"],
    [other, "b"],
  ] as const) {
    registry.register(each);
    assert.equal(registry.admit(each, principal(certificate)), undefined);
  }
  await registry.drop({ certificateId: "a" }, "revoked");
  assert.deepEqual([one.ended, two.ended, other.ended], [["revoked"], ["revoked"], []]);
  await registry.drop({ deviceUid: "device-of-b" }, "deleted");
  assert.deepEqual(other.ended, ["deleted"]);
});

test("a drop while a CONNECT is being authorized prevents its admission, an earlier drop does not", async () => {
  const registry = new SessionRegistry();
  await registry.drop({ certificateId: "a" }, "an earlier drop");
  const made = session(registry, "1");
  registry.register(made);
  await registry.drop({ certificateId: "b" }, "another certificate's");
  assert.equal(registry.admit(made, principal("a")), undefined);
  const late = session(registry, "2");
  registry.register(late);
  await registry.drop({ certificateId: "a" }, "revoked");
  assert.equal(registry.admit(late, principal("a")), "revoked");
  await registry.drop({ sessionId: "2" }, "takeover");
  assert.deepEqual(late.ended, [], "a refused session is not found by drops");
});

test("old drops are deleted, but never while a session registered before them is being authorized", async () => {
  const registry = new SessionRegistry();
  const made = session(registry, "1");
  registry.register(made);
  await registry.drop({ certificateId: "a" }, "revoked");
  for (let n = 0; n < 20_000; n++) await registry.drop({ sessionId: `other-${n}` }, "takeover");
  assert.equal(registry.admit(made, principal("a")), "revoked");
});

test("removing a session leaves its successor with the same certificate", async () => {
  const registry = new SessionRegistry();
  const [first, second] = [session(registry, "1"), session(registry, "2")];
  for (const each of [first, second]) {
    registry.register(each);
    registry.admit(each, principal("a"));
  }
  registry.remove(first);
  await registry.drop({ certificateId: "a" }, "revoked");
  assert.deepEqual([first.ended, second.ended], [[], ["revoked"]]);
  await registry.drop({ certificateId: "a" }, "revoked again");
  assert.deepEqual(second.ended, ["revoked"]);
});
