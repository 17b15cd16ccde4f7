import assert from "node:assert/strict";
import { test } from "node:test";
import { Window } from "./window.ts";

test("an id is free again after the last acknowledgement of its QoS", () => {
  const window = new Window(2);
  assert.deepEqual([window.take(1), window.take(2)], [1, 2]);
  assert.equal(window.isFull, true);
  window.acknowledged(2, "pubrec");
  assert.equal(window.isFull, true, "a PUBREC is not the last acknowledgement");
  window.acknowledged(2, "pubcomp");
  assert.equal(window.isFull, false);
  assert.equal(window.take(1), 3);
  window.acknowledged(1, "puback");
  assert.equal(window.isFull, false);
});

test("an unexpected acknowledgement changes nothing", () => {
  const window = new Window(1);
  window.take(2);
  for (const type of ["puback", "pubcomp"] as const) window.acknowledged(1, type);
  window.acknowledged(7, "pubrec");
  assert.equal(window.isFull, true);
});

test("ids wrap around and skip those in use", () => {
  const window = new Window(3);
  const stays = window.take(1);
  for (let n = 2; n <= 0xffff; n++) window.acknowledged(window.take(1), "puback");
  assert.equal(window.take(1), stays + 1);
});
