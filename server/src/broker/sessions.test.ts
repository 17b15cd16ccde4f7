import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "./policy.ts";
import { type RegisteredSession, SessionRegistry } from "./sessions.ts";

function principal(certificateId: string): Principal {
  return { certificateId, deviceUid: `device-of-${certificateId}` } as Principal;
}

function session(registry: SessionRegistry, sessionId: string, clientId = "pump-1") {
  const made: RegisteredSession & { ended: string[] } = {
    sessionId,
    clientId,
    accepted: true,
    ended: [],
    end: async (reason) => {
      made.ended.push(reason);
      registry.remove(made);
    },
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
    registry.begin(each);
    assert.equal(registry.admit(each, principal(certificate)), undefined);
  }
  await registry.drop({ certificateId: "a" }, "revoked");
  assert.deepEqual([one.ended, two.ended, other.ended], [["revoked"], ["revoked"], []]);
  await registry.drop({ deviceUid: "device-of-b" }, "deleted");
  assert.deepEqual(other.ended, ["deleted"]);
  assert.equal(registry.size, 0);
});

test("a drop that falls while a CONNECT is being judged is seen at its admission, an older one is not", async () => {
  const registry = new SessionRegistry();
  await registry.drop({ certificateId: "a" }, "an earlier drop");
  const made = session(registry, "1");
  registry.begin(made);
  await registry.drop({ certificateId: "b" }, "another certificate's");
  assert.equal(registry.admit(made, principal("a")), undefined);
  const late = session(registry, "2");
  registry.begin(late);
  await registry.drop({ certificateId: "a" }, "revoked");
  assert.equal(registry.admit(late, principal("a")), "revoked");
  assert.equal(registry.of("pump-1"), undefined);
});

test("marks are forgotten, though never while a session that began before them is being judged", async () => {
  const registry = new SessionRegistry();
  const made = session(registry, "1");
  registry.begin(made);
  await registry.drop({ certificateId: "a" }, "revoked");
  for (let n = 0; n < 20_000; n++) await registry.drop({ sessionId: `other-${n}` }, "takeover");
  assert.equal(registry.admit(made, principal("a")), "revoked");
});

test("removing a session leaves its successor of the same client id", () => {
  const registry = new SessionRegistry();
  const [first, second] = [session(registry, "1"), session(registry, "2")];
  for (const each of [first, second]) {
    registry.begin(each);
    registry.admit(each, principal("a"));
  }
  registry.remove(first);
  assert.equal(registry.of("pump-1"), second);
  registry.remove(second);
  assert.equal(registry.of("pump-1"), undefined);
});
