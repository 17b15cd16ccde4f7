import assert from "node:assert/strict";
import { test } from "node:test";
import type { Certificate } from "../../api/certificates.ts";
import { stagesOf } from "./stages.ts";

function certificate(id: string, more: Partial<Certificate> = {}): Certificate {
  return { id, status: "active", expired: false, lastConnectedAt: null, ...more } as Certificate;
}

const old = certificate("old", { lastConnectedAt: "2026-11-20T10:00:00.000Z" });

test("a rotation goes on from step to step, and ends when the former bundle is revoked", () => {
  const begun = stagesOf({ items: [old], newId: undefined, installed: false });
  assert.deepEqual(begun.states, { issue: "now", install: "later", seen: "later", revoke: "later" });
  assert.deepEqual(begun.former, [old]);
  const issued = stagesOf({ items: [certificate("new"), old], newId: "new", installed: false });
  assert.deepEqual(issued.states, { issue: "done", install: "now", seen: "later", revoke: "later" });
  const waiting = stagesOf({ items: [certificate("new"), old], newId: "new", installed: true });
  assert.deepEqual(waiting.states, { issue: "done", install: "done", seen: "now", revoke: "later" });
  const made = certificate("new", { lastConnectedAt: "2026-11-20T11:00:00.000Z" });
  const seen = stagesOf({ items: [made, old], newId: "new", installed: false });
  assert.deepEqual(seen.states, { issue: "done", install: "done", seen: "done", revoke: "now" });
  const over = stagesOf({ items: [made, { ...old, status: "revoked" }], newId: "new", installed: false });
  assert.deepEqual(over.states, { issue: "done", install: "done", seen: "done", revoke: "done" });
});

test("an expired bundle needs no revocation", () => {
  const made = certificate("new", { lastConnectedAt: "2026-11-20T11:00:00.000Z" });
  const { states } = stagesOf({ items: [made, { ...old, expired: true }], newId: "new", installed: true });
  assert.equal(states.revoke, "done");
});
