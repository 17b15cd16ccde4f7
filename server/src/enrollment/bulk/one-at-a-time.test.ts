import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "../../db/database.ts";
import { oneAtATime } from "./one-at-a-time.ts";

test("a tenant runs one job at a time, other tenants are not affected, and the next may run after success or failure", async () => {
  const db = {} as Db;
  const first = Promise.withResolvers<string>();
  const running = oneAtATime(db, "acme", () => first.promise);
  await assert.rejects(
    oneAtATime(db, "acme", async () => "second"),
    { code: "rate_limited" },
  );
  assert.equal(await oneAtATime(db, "other", async () => "theirs"), "theirs");
  assert.equal(await oneAtATime({} as Db, "acme", async () => "of another database"), "of another database");
  first.reject(new Error("it failed"));
  await assert.rejects(running, /it failed/);
  assert.equal(await oneAtATime(db, "acme", async () => "again"), "again");
});
