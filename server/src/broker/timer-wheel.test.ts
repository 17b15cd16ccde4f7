import assert from "node:assert/strict";
import { test } from "node:test";
import { TICK_MS, type Timed, TimerWheel } from "./timer-wheel.ts";

class Recorded implements Timed {
  dueTick = 0;
  readonly at: number[] = [];
  readonly #wheel: TimerWheel;

  constructor(wheel: TimerWheel) {
    this.#wheel = wheel;
  }

  onDue(): void {
    this.at.push(this.#wheel.now);
  }
}

function ticks(wheel: TimerWheel, count: number): void {
  for (let n = 0; n < count; n++) wheel.tick();
}

test("a timeout fires once, never early and at most two ticks late", () => {
  const wheel = new TimerWheel();
  for (const ms of [1, 100, 800, 1_500, 90_000, 400_000]) {
    const timed = new Recorded(wheel);
    const began = wheel.now;
    wheel.set(timed, ms);
    ticks(wheel, 2_000);
    assert.equal(timed.at.length, 1, `${ms} ms`);
    const passed = (timed.at[0]! - began) * TICK_MS;
    // The first tick may come immediately.
    assert.ok(passed - TICK_MS >= ms && passed < ms + 2 * TICK_MS, `${ms} ms came after ${passed}`);
  }
});

test("a timeout that is reset or cleared does not fire at its old time", () => {
  const wheel = new TimerWheel();
  const [moved, cleared] = [new Recorded(wheel), new Recorded(wheel)];
  wheel.set(moved, 1_000);
  wheel.set(cleared, 1_000);
  ticks(wheel, 2);
  wheel.set(moved, 2_000);
  wheel.clear(cleared);
  ticks(wheel, 100);
  assert.deepEqual(moved.at, [2 + 9]);
  assert.deepEqual(cleared.at, []);
});

test("a timeout may be set again when it fires", () => {
  const wheel = new TimerWheel();
  let times = 0;
  const timed: Timed = {
    dueTick: 0,
    onDue() {
      if (++times < 3) wheel.set(timed, 64_000);
    },
  };
  wheel.set(timed, 64_000);
  ticks(wheel, 3 * 300);
  assert.equal(times, 3);
});
