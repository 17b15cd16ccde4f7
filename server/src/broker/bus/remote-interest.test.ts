import assert from "node:assert/strict";
import { test } from "node:test";
import { RemoteInterest } from "./remote-interest.ts";

const SHARED = "$share/workers/t/a/#";

test("a message goes once to each process with a matching filter of its tenant", () => {
  const remote = new RemoteInterest<string>();
  remote.set("one", "acme", "t/a/+", true);
  remote.set("one", "acme", "t/a/x", true);
  remote.set("two", "acme", "t/#", true);
  remote.set("three", "other", "t/#", true);
  assert.deepEqual([...remote.peersOf("acme", "t/a/x")!].sort(), ["one", "two"]);
  assert.deepEqual([...remote.peersOf("acme", "t/b")!], ["two"]);
  assert.equal(remote.peersOf("nobody", "t/b"), undefined);
  remote.set("two", "acme", "t/#", false);
  assert.deepEqual([...(remote.peersOf("acme", "t/b") ?? [])], []);
});

test("processes with members of a group take turns", () => {
  const remote = new RemoteInterest<string>();
  for (const peer of ["one", "two"]) remote.set(peer, "acme", SHARED, true);
  assert.deepEqual([...remote.groupsOf("acme", "t/a/x")], [[SHARED, 2]]);
  assert.deepEqual([...remote.groupsOf("acme", "t/b")], []);
  const turns = Array.from({ length: 4 }, () => remote.nextOf("acme", SHARED));
  assert.deepEqual(turns, ["one", "two", "one", "two"]);
  remote.set("one", "acme", SHARED, false);
  assert.equal(remote.nextOf("acme", SHARED), "two");
});

test("a process that has ended leaves nothing behind", () => {
  const remote = new RemoteInterest<string>();
  remote.set("one", "acme", "t/#", true);
  remote.set("one", "acme", SHARED, true);
  remote.forget("one");
  assert.equal(remote.peersOf("acme", "t/a"), undefined);
  assert.equal(remote.nextOf("acme", SHARED), undefined);
  assert.deepEqual([...remote.groupsOf("acme", "t/a/x")], []);
});
