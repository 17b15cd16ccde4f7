import assert from "node:assert/strict";
import { test } from "node:test";
import { TenantTurns } from "./tenant-turns.ts";

test("a tenant's turns are taken one after the other, and are counted until they end", async () => {
  const [db, another] = [{}, {}];
  const turns = new TenantTurns();
  const begun: string[] = [];
  const first = Promise.withResolvers<void>();
  const take = (of: object, name: string) => turns.take(of, "acme", async () => void begun.push(name));
  const failing = turns.take(db, "acme", () => first.promise);
  const next = take(db, "next");
  await take(another, "of another database");
  assert.deepEqual([begun, turns.count(db, "acme"), turns.count(db, "other")], [["of another database"], 2, 0]);
  first.reject(new Error("it failed"));
  await assert.rejects(failing, /it failed/);
  await next;
  assert.deepEqual(begun, ["of another database", "next"]);
  assert.deepEqual([turns.count(db, "acme"), turns.count(another, "acme")], [0, 0]);
});
