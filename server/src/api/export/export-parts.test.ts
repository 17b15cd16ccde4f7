import assert from "node:assert/strict";
import { test } from "node:test";
import type { Walk } from "../../lib/page.ts";
import { exportedParts } from "./export-parts.ts";

/** Creates a list of `length` rows that records the size of each read. */
function listOf(length: number) {
  const asked: number[] = [];
  const read = async (walk: Walk, limit: number) => {
    asked.push(limit);
    const from = Number(walk.place?.[0] ?? 0);
    const items = Array.from({ length: Math.min(limit, length - from) }, (_, at) => from + at);
    if (items.length < limit) walk.ended = true;
    else walk.place = [String(from + items.length)];
    return { items, total: 0, skip: 0, limit };
  };
  return { asked, read };
}

async function exported(read: Parameters<typeof exportedParts>[0], most?: number) {
  const rows: unknown[] = [];
  const parts = exportedParts(read, most);
  for (let part = await parts.next(); ; part = await parts.next()) {
    if (part.done) return { rows, isCut: part.value };
    rows.push(...part.value);
  }
}

test("a list is read to its end, in parts", async () => {
  for (const length of [0, 1, 499, 500, 501, 1_750]) {
    const { rows, isCut } = await exported(listOf(length).read);
    assert.deepEqual([rows.length, rows.at(-1), isCut], [length, length === 0 ? undefined : length - 1, false]);
  }
});

test("a list longer than a file may be is cut, and one of exactly that length is not", async () => {
  assert.deepEqual(await exported(listOf(5).read, 5), { rows: [0, 1, 2, 3, 4], isCut: false });
  assert.deepEqual(await exported(listOf(6).read, 5), { rows: [0, 1, 2, 3, 4], isCut: true });
  assert.deepEqual((await exported(listOf(2_000).read, 1_000)).isCut, true);
});

test("a list that matches nothing ends the walk", async () => {
  const nothing = async () => ({ items: [], total: 0, skip: 0, limit: 1 });
  assert.deepEqual(await exported(nothing), { rows: [], isCut: false });
});

test("a list that does not advance the walk does not produce an endless file", async () => {
  const stuck = async () => ({ items: [1], total: 1, skip: 0, limit: 1 });
  await assert.rejects(exported(stuck), /advance its walk/);
});
