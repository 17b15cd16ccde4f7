import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { eachReading } from "./each-reading.ts";

test("readings from several sources are visited in time order, and the highest sequence number wins a shared time", () => {
  const source = fc.uniqueArray(fc.nat(30), { maxLength: 8 }).map((times) => times.sort((a, b) => a - b));
  fc.assert(
    fc.property(fc.array(source, { maxLength: 5 }), fc.infiniteStream(fc.nat(1_000)), (all, numbers) => {
      const taken = new Set<number>();
      const seqOf = () => {
        let seq = numbers.next().value;
        while (taken.has(seq)) seq++;
        taken.add(seq);
        return seq;
      };
      const sources = all.map((times) => ({
        times: Float64Array.from(times),
        seqs: Float64Array.from(times, seqOf),
      }));
      const best = new Map<number, number>();
      for (const { times, seqs } of sources) {
        for (const [at, time] of times.entries()) best.set(time, Math.max(best.get(time) ?? 0, seqs[at]!));
      }
      const visited: [number, number][] = [];
      eachReading(sources, ({ times, seqs }, at) => visited.push([times[at]!, seqs[at]!]));
      assert.deepEqual(
        visited,
        [...best].sort(([a], [b]) => a - b),
      );
    }),
  );
});
