import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ReadAhead } from "./read-ahead.ts";

/** Reads a stream with messages at these sequences to its end. @param answers whether the nth request is answered */
async function readAll(sequences: readonly number[], answers: (request: number) => boolean = () => true) {
  let requests = 0;
  const next = async (from: number) => {
    if (!answers(requests++)) throw new Error("no answer");
    const sequence = sequences.find((each) => each >= from);
    return sequence === undefined ? undefined : { sequence, data: Buffer.alloc(10) };
  };
  const ahead = new ReadAhead(next);
  const read: number[] = [];
  let rounds = 0;
  for (let at = 1; ; rounds++) {
    const messages = await ahead.read(at).catch(() => undefined);
    if (messages?.length === 0) return { read, rounds };
    for (const { sequence } of messages ?? []) read.push(sequence);
    at = (read.at(-1) ?? 0) + 1;
  }
}

test("all messages are read once and in order, whatever gaps they have and whichever requests fail", async () => {
  const gaps = fc.array(fc.oneof(fc.constant(1), fc.nat(40), fc.nat(2_000)), { maxLength: 300 });
  const failures = fc.array(fc.nat(400), { maxLength: 20 });
  const property = fc.asyncProperty(gaps, failures, async (distances, failing) => {
    let last = 0;
    const sequences = distances.map((distance) => {
      last += distance + 1;
      return last;
    });
    const { read } = await readAll(sequences, (request) => !failing.includes(request));
    assert.deepEqual(read, sequences);
  });
  await fc.assert(property, { numRuns: 200 });
});

test("a backlog takes a fraction of the round trips of single reads", async () => {
  const { rounds } = await readAll(Array.from({ length: 2_000 }, (_, index) => index * 16 + 3));
  assert.ok(rounds < 100, `${rounds} rounds`);
});
