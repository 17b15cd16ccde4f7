import assert from "node:assert/strict";
import { test } from "node:test";
import { createFollowedIds } from "./followed-ids.ts";

test("an id whose look-up fails has no followers afterwards", async () => {
  const asked: string[][] = [];
  let isReachable = false;
  const followed = createFollowedIds({
    listen: async () => async () => undefined,
    findOpen: async (ids) => {
      asked.push(ids);
      if (!isReachable) throw new Error("the database is unreachable");
      return new Set(ids);
    },
  });
  await assert.rejects(
    followed.follow("a", () => undefined),
    /unreachable/,
  );
  isReachable = true;
  const leave = await followed.follow("b", () => undefined);
  await followed.check();
  leave();
  await followed.check();
  assert.deepEqual(asked, [["a"], ["b"], ["b"]]);
});
