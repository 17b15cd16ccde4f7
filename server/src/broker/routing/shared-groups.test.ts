import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedFilter } from "../codec/shared-filter.ts";
import { Message, NO_IDS } from "../message.ts";
import { type Member, SharedGroup } from "./shared-groups.ts";

const GRANT = { qos: 0, noLocal: false, retainAsPublished: false, subscriptionIds: NO_IDS } as const;
const MESSAGE = new Message("t", Buffer.from("x"), 0);

/** A member that records its name when it receives a message. */
function member(got: string[], name: string, isReady = true, waitingBytes = 0): Member & { isReady: boolean } {
  return { isReady, waitingBytes, deliver: () => void got.push(name) };
}

test("the members of a group take turns, even while others join and leave", () => {
  const got: string[] = [];
  const group = new SharedGroup<Member>("$share/group/topic");
  const [a, b, c] = ["a", "b", "c"].map((name) => member(got, name));
  assert.equal(group.deliver(MESSAGE, false), false);
  for (const each of [a!, b!]) group.set(each, GRANT);
  for (let n = 0; n < 3; n++) group.deliver(MESSAGE, false);
  group.set(c!, GRANT);
  group.delete(a!);
  for (let n = 0; n < 3; n++) assert.equal(group.deliver(MESSAGE, false), true);
  assert.deepEqual(got, ["a", "b", "a", "b", "c", "b"]);
});

test("a member that is behind is skipped while another is ready; otherwise the least loaded one is chosen", () => {
  const got: string[] = [];
  const group = new SharedGroup<Member>("$share/group/topic");
  const [far, near] = [member(got, "far", false, 900), member(got, "near", false, 100)];
  const ready = member(got, "ready");
  for (const each of [far, near, ready]) group.set(each, GRANT);
  for (let n = 0; n < 2; n++) group.deliver(MESSAGE, false);
  ready.isReady = false;
  group.delete(ready);
  group.deliver(MESSAGE, false);
  far.isReady = true;
  group.deliver(MESSAGE, false);
  assert.deepEqual(got, ["ready", "ready", "near", "far"]);
});

test("a shared filter is split into the group's name and the filter after it", () => {
  const cases: [string, ReturnType<typeof sharedFilter>][] = [
    ["$share/g/a/+/#", { name: "g", filter: "a/+/#" }],
    ["$share/g//", { name: "g", filter: "/" }],
    ["$share//a", { name: "", filter: "a" }],
    ["$share/g/", { name: "g", filter: "" }],
    ["$share/g", { name: "g", filter: "" }],
    ["$share", undefined],
    ["$shared/g/a", undefined],
  ];
  for (const [filter, expected] of cases) assert.deepEqual(sharedFilter(filter), expected, filter);
});
